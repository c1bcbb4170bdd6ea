// From options to what the formats take, and the combinations that mean nothing refused.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/options.hpp"
#include "cli/process/secrets.hpp"
#include "fugu/format/openssl/openssl_enc.hpp"
#include "fugu/format/raw/raw.hpp"
#include "fugu/format/sealed/header.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::cli {

enum class Format : std::uint8_t { detect, sealed, openssl, raw };

// A part of a plaintext; `count` empty: all that follows.
struct SealedRange {
  std::uint64_t first = 0;
  std::optional<std::uint64_t> count;
};

struct SealedRequest {
  format::SealedSlot slot = format::SealedSlot::passphrase;
  std::optional<SealedRange> range;
  bool salvage = false;
};

enum class TextEncoding : std::uint8_t { base64, hex };

struct TextForm {
  TextEncoding encoding = TextEncoding::base64;
  stream::TextLines lines = stream::TextLines::wrapped;
};

struct CipherRequest {
  core::Direction direction = core::Direction::encrypt;
  Format format = Format::sealed;
  std::optional<TextForm> text;  // of the encrypted side; binary otherwise
  SecretSource secret;

  // The one that belongs to the format and direction is filled; `detect` fills `sealed` and openssl_decrypt.
  SealedRequest sealed;
  format::OpensslEncryptRequest openssl_encrypt;
  format::OpensslDecryptRequest openssl_decrypt;
  format::RawParameters raw;

  // As far as it is known before a file is looked at.
  mode::Mode mode() const;
};

// Throws Error{usage}.
CipherRequest cipher_request(const Arguments& arguments, core::Direction direction);

auth::SecretBytes read_secret(const CipherRequest& request);

}  // namespace fugu::cli
