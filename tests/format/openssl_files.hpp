// Files of `openssl enc` for tests. The codec writes them; tests/cli/openssl_test.py compares it with the
// `openssl` program.
#pragma once

#include "foreign_samples.hpp"
#include "fugu/format/option.hpp"

namespace fugu::format::testing {

inline const Bytes kPassphrase = bytes_of("correct horse");
inline const Bytes kFileSalt{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                             std::byte{5}, std::byte{6}, std::byte{7}, std::byte{8}};

// EVP_BytesToKey, or PBKDF2 with `iterations`.
inline GivenOptions parameters(std::string cipher, std::string digest, unsigned iterations = 0,
                               unsigned key_bytes = 16) {
  GivenOptions options{{"cipher", cipher}, {"md", digest}, {"key-bytes", std::to_string(key_bytes)}};
  if (iterations == 0) {
    options["no-pbkdf2"] = "";
  } else {
    options["iter"] = std::to_string(iterations);
  }
  return options;
}

inline Bytes encrypt(const Bytes& plaintext, GivenOptions options = parameters("bf-cbc", "sha256"),
                     const Bytes& salt = kFileSalt) {
  options["salt"] = hex_text(salt);
  return joined({bytes_of("Salted__"), salt, seal_with("openssl", plaintext, kPassphrase, options)});
}

inline Result decrypt(const Bytes& file, const How& how = {}, const Bytes& with = kPassphrase) {
  return open_with("openssl", file, with, how);
}

inline std::optional<Error> failure(const Bytes& file, const How& how = {}, const Bytes& with = kPassphrase) {
  return error_of([&] { decrypt(file, how, with); });
}

inline Bytes text(std::size_t bytes) {
  constexpr std::string_view kLine = "The quick brown fox jumps over the lazy dog, then sleeps.\n";
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(kLine[i % kLine.size()]);
  return data;
}

}  // namespace fugu::format::testing
