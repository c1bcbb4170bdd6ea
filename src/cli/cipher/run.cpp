#include "cli/cipher/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/cipher/sealed_run.hpp"
#include "fugu/error.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::cli {
namespace {

constexpr std::string_view kSalted = "Salted__";
constexpr std::string_view kSaltedBase64 = "U2FsdGVkX1";

bool starts_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin(),
                    [](char c, std::byte byte) { return static_cast<std::byte>(c) == byte; });
}

format::Job job(const CipherRun& run, stream::Source& source, stream::Sink& sink) {
  return {run.engine, source, sink, run.chunk_bytes, run.counters, run.observer};
}

std::unique_ptr<stream::Source> text_decoder(TextEncoding encoding, std::unique_ptr<stream::Source> text) {
  if (encoding == TextEncoding::hex) return stream::hex_decoder(std::move(text));
  return stream::base64_decoder(std::move(text));
}

std::unique_ptr<stream::Sink> text_encoder(const TextForm& form, stream::Sink& sink) {
  if (form.encoding == TextEncoding::hex) return stream::hex_encoder(sink, form.lines);
  return stream::base64_encoder(sink, form.lines);
}

// What belongs to sealed files alone cannot be done with another.
void refuse_sealed_request(const SealedRequest& sealed) {
  const char* option = sealed.range ? "--range" : sealed.salvage ? "--salvage" : nullptr;
  if (option != nullptr)
    throw Error(Errc::usage, fmt::format("is not a sealed file: {} cannot be done", option));
  if (sealed.slot == format::SealedSlot::key) {
    throw Error(Errc::usage, "is in the format of openssl enc, which takes a passphrase (--pass)");
  }
}

bool is_to_be_read_as_sealed(const CipherRequest& request, std::unique_ptr<stream::Source>& source) {
  if (request.format == Format::sealed) return true;
  if (request.format != Format::detect) return false;
  if (is_sealed(look_at_head(source))) return true;
  refuse_sealed_request(request.sealed);
  return false;
}

constexpr std::string_view kModeNames[] = {"ecb", "cbc", "cfb", "cfb8", "ofb", "ctr"};

}  // namespace

std::vector<std::byte> look_at_head(std::unique_ptr<stream::Source>& source) {
  std::vector<std::byte> head(kDetectBytes);
  head.resize(source->read(head));
  source = stream::prepend(head, std::move(source));
  return head;
}

Detected detect(std::span<const std::byte> head) {
  if (is_sealed(head)) return Detected::sealed;
  if (starts_with(head, kSalted)) return Detected::salted;
  if (starts_with(head, kSaltedBase64)) return Detected::salted_base64;
  return Detected::nothing;
}

std::unique_ptr<stream::Source> binary_input(const CipherRequest& request,
                                             std::unique_ptr<stream::Source> source) {
  if (request.text) return text_decoder(request.text->encoding, std::move(source));
  if (request.format == Format::raw || request.format == Format::sealed) return source;
  const Detected found = detect(look_at_head(source));
  if (found == Detected::salted_base64) return stream::base64_decoder(std::move(source));
  if (found != Detected::nothing || request.format != Format::detect) return source;
  throw Error(Errc::unknown_format,
              "the format is not recognised; for a file without a header give --format openssl --nosalt or "
              "--format raw, and how it was encrypted");
}

void encrypt(const CipherRequest& request, const auth::SecretBytes& secret, const CipherRun& run,
             std::unique_ptr<stream::Source> source, stream::Sink& sink) {
  std::unique_ptr<stream::Sink> encoder;
  if (request.text) encoder = text_encoder(*request.text, sink);
  const format::Job work = job(run, *source, encoder ? *encoder : sink);
  if (request.format == Format::sealed) {
    encrypt_sealed(request, secret, run, *source, encoder ? *encoder : sink);
  } else if (request.format == Format::raw) {
    format::encrypt_raw(work, request.raw, secret);
  } else {
    format::encrypt_openssl(work, request.openssl_encrypt, secret);
  }
}

Decrypted decrypt(const CipherRequest& request, const auth::SecretBytes& secret, const CipherRun& run,
                  std::unique_ptr<stream::Source> source, stream::Sink& sink) {
  source = binary_input(request, std::move(source));
  if (is_to_be_read_as_sealed(request, source)) return decrypt_sealed(request, secret, run, *source, sink);
  const format::Job work = job(run, *source, sink);
  if (request.format == Format::raw) {
    format::decrypt_raw(work, request.raw, secret);
    return {.parameters = describe(request.raw), .openssl = {}, .salvage = {}};
  }
  const format::OpensslDecryption result = format::decrypt_openssl(work, request.openssl_decrypt, secret);
  return {.parameters = result.parameters.describe(),
          .by_trial = result.by_trial,
          .evidence_bits = result.evidence_bits,
          .openssl = result.parameters,
          .salvage = {}};
}

std::string describe(const format::RawParameters& raw) {
  return fmt::format("raw {}", kModeNames[static_cast<std::size_t>(raw.settings.mode)]);
}

std::string describe(const CipherRequest& request) {
  if (request.format == Format::raw) return describe(request.raw);
  if (request.format == Format::sealed) return "sealed";
  return request.openssl_encrypt.parameters.describe();
}

}  // namespace fugu::cli
