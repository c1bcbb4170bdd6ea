#include "cli/cipher/reference_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/cipher/sealed_run.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

// What the format will use; the bytes that tell are still handed out afterwards.
mode::Settings raw_settings(const format::RawParameters& raw, std::unique_ptr<stream::Source>& source) {
  mode::Settings settings = raw.settings;
  if (raw.iv_place == format::IvPlace::prefix) {
    mode::Iv& iv = settings.iv.emplace();
    const std::size_t got = source->read(iv);
    source = stream::prepend(std::span(iv).first(got), std::move(source));
  }
  return settings;
}

}  // namespace

ReferenceCheck::ReferenceCheck(const mode::Settings& settings, std::span<const std::byte> key) try
    : reference_(settings, core::Direction::decrypt, key) {
} catch (Error& error) {
  error.add_context("--openssl cannot check this");
  throw;
}

ReferenceCheck::~ReferenceCheck() {
  core::wipe(expected_.data(), expected_.size());
}

void ReferenceCheck::compare(std::span<const std::byte> ciphertext, std::span<const std::byte> plaintext) {
  expected_.resize(ciphertext.size());
  reference_.process(ciphertext, expected_);
  const auto differs = std::ranges::mismatch(plaintext, expected_);
  if (differs.in1 != plaintext.end()) {
    offset_ += static_cast<std::uint64_t>(differs.in1 - plaintext.begin());
    throw Error(Errc::mismatch,
                fmt::format("OpenSSL's Blowfish gives another plaintext at byte {}", offset_));
  }
  offset_ += plaintext.size();
}

Decrypted decrypt_watched(const CipherRequest& request, const auth::SecretBytes& secret, const CipherRun& run,
                          std::unique_ptr<stream::Source> source, stream::Sink& sink) {
  source = binary_input(request, std::move(source));
  if (request.format == Format::sealed ||
      (request.format == Format::detect && is_sealed(look_at_head(source)))) {
    throw Error(Errc::usage, "is sealed: its own tags say more than --openssl, which is for openssl and raw");
  }
  CipherRequest inner = request;
  inner.text.reset();  // undone
  CipherRun watched = run;
  std::optional<ReferenceCheck> check;
  if (request.format == Format::raw) {
    check.emplace(raw_settings(request.raw, source), secret.span());
  } else {
    inner.openssl_decrypt.on_parameters = [&](const format::OpensslDecryption& found,
                                              const format::OpensslKey& key) {
      mode::Settings settings;
      settings.mode = found.parameters.mode;
      settings.iv = key.iv;
      check.emplace(settings, key.key.span());
    };
  }
  watched.observer = [&](auto ciphertext, auto plaintext) { check->compare(ciphertext, plaintext); };
  return decrypt(inner, secret, watched, std::move(source), sink);
}

}  // namespace fugu::cli
