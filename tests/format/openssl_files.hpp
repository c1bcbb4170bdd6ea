// Files of `openssl enc` for tests. encrypt_openssl writes them; tests/cli/openssl_test.py compares it with
// the `openssl` program.
#pragma once

#include <optional>
#include <random>

#include "fugu/format/openssl/openssl_enc.hpp"
#include "memory.hpp"

namespace fugu::format::testing {

inline const auth::SecretBytes& passphrase() {
  static const auth::SecretBytes secret(std::string_view("correct horse"));
  return secret;
}

inline constexpr Salt kSalt{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                            std::byte{5}, std::byte{6}, std::byte{7}, std::byte{8}};

inline Bytes encrypt(const Bytes& plaintext, const OpensslParameters& parameters, Salt salt = kSalt) {
  return run_job(plaintext, [&](const Job& job) {
    encrypt_openssl(job, {parameters, SaltPlace::header, salt}, passphrase());
  });
}

struct Result {
  Bytes plaintext;
  OpensslDecryption decryption;
};

inline Result decrypt(const Bytes& file, const OpensslDecryptRequest& request = {},
                      Seekable seekable = Seekable::yes, const auth::SecretBytes& with = passphrase()) {
  Result result;
  result.plaintext = run_job(
      file, [&](const Job& job) { result.decryption = decrypt_openssl(job, request, with); }, seekable);
  return result;
}

inline std::optional<Error> failure(const Bytes& file, const OpensslDecryptRequest& request = {},
                                    Seekable seekable = Seekable::yes,
                                    const auth::SecretBytes& with = passphrase()) {
  return error_of([&] { decrypt(file, request, seekable, with); });
}

inline Bytes text(std::size_t bytes) {
  constexpr std::string_view kLine = "The quick brown fox jumps over the lazy dog, then sleeps.\n";
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(kLine[i % kLine.size()]);
  return data;
}

inline Bytes random_data(std::mt19937_64& random, std::size_t bytes) {
  Bytes data(bytes);
  for (std::byte& b : data) b = static_cast<std::byte>(random());
  return data;
}

}  // namespace fugu::format::testing
