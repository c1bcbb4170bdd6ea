// The header of an nppcrypt text. Private to nppcrypt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/mode/mode.hpp"

namespace fugu::format {

enum class NppEncoding : std::uint8_t { ascii, base16, base32, base64 };

struct NppHeader {
  unsigned version = 0;
  std::size_t key_bytes = 16;
  mode::Mode mode = mode::Mode::cbc;
  NppEncoding encoding = NppEncoding::base64;
  std::string derivation;  // "scrypt" or "pbkdf2"
  std::string digest;      // of pbkdf2, OpenSSL's name
  std::uint64_t iterations = 0;
  std::uint64_t scrypt_n = 0;
  std::uint64_t scrypt_r = 0;
  std::uint64_t scrypt_p = 0;
  std::vector<std::byte> salt;
  std::optional<std::vector<std::byte>> iv;  // as stored
  bool derives_iv = false;                   // it follows the key in the derived bytes
  bool has_mac = false;

  std::string describe() const;  // "nppcrypt 1016, cbc, key of 16 bytes by scrypt"
};

bool is_nppcrypt(std::span<const std::byte> head);

// Takes the header and the line end after it. Throws Error{unknown_format} naming unsupported parameters,
// Error{damaged} for an invalid header.
NppHeader read_nppcrypt_header(Lookahead& source);

// Derives key and IV, 8 bytes. Throws Error{unknown_format} when the derivation needs more memory or time
// than any known file.
auth::SecretBytes derive_nppcrypt_key(const NppHeader& header, const auth::SecretBytes& passphrase);

}  // namespace fugu::format
