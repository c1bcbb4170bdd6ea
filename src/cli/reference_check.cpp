#include "reference_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fugu/core/wipe.hpp"
#include "fugu/error.hpp"
#include "sealed_run.hpp"

namespace fugu::cli {
namespace {

using auth::ReferenceMode;
using mode::Mode;

ReferenceMode reference_mode(const mode::Settings& settings) {
  const bool little = settings.words == core::ByteOrder::little ||
                      (settings.mode == Mode::ctr && settings.counter == core::ByteOrder::little);
  if (!little) {
    switch (settings.mode) {
      case Mode::ecb:
      case Mode::ctr:
        return ReferenceMode::ecb;
      case Mode::cbc:
        return ReferenceMode::cbc;
      case Mode::cfb64:
        return ReferenceMode::cfb64;
      case Mode::ofb:
        return ReferenceMode::ofb;
      case Mode::cfb8:
        break;
    }
  }
  throw Error(Errc::usage,
              "--openssl cannot check this: OpenSSL's Blowfish has no cfb8 and no little-endian words");
}

// What the format will use; the bytes that tell are still handed out afterwards.
mode::Settings raw_settings(const format::RawParameters& raw, std::unique_ptr<stream::Source>& source) {
  mode::Settings settings = raw.settings;
  if (raw.iv_place == format::IvPlace::prefix) {
    const std::size_t got = source->read(settings.iv);
    source = stream::prepend(std::span(settings.iv).first(got), std::move(source));
  }
  return settings;
}

}  // namespace

ReferenceCheck::ReferenceCheck(const mode::Settings& settings, std::span<const std::byte> key)
    : reference_(reference_mode(settings), settings.mode == Mode::ctr, key, settings.iv) {
  if (settings.mode == Mode::ctr) counter_ = core::load_u64_big(settings.iv.data());
}

ReferenceCheck::~ReferenceCheck() {
  core::wipe(expected_.data(), expected_.size());
}

void ReferenceCheck::compare(std::span<const std::byte> ciphertext, std::span<const std::byte> plaintext) {
  if (counter_) {
    expected_.resize((ciphertext.size() + core::kBlockBytes - 1) / core::kBlockBytes * core::kBlockBytes);
    for (std::size_t i = 0; i < expected_.size(); i += core::kBlockBytes) {
      core::store_u64_big(&expected_[i], (*counter_)++);
    }
    reference_.update(expected_, expected_);
    for (std::size_t i = 0; i < ciphertext.size(); ++i) expected_[i] ^= ciphertext[i];
  } else {
    expected_.resize(ciphertext.size());
    reference_.update(ciphertext, expected_);
  }
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
