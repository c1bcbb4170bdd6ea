// Decryption watched by OpenSSL's Blowfish: every chunk's plaintext is compared with what OpenSSL makes of
// the same ciphertext.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cli/cipher/run.hpp"
#include "measure/openssl_stream.hpp"

namespace fugu::cli {

class ReferenceCheck {
 public:
  // Throws Error{usage} for what OpenSSL has no counterpart of: cfb8, little-endian words, a little-endian
  // counter.
  ReferenceCheck(const mode::Settings& settings, std::span<const std::byte> key);
  ~ReferenceCheck();

  // Chunks in order; the plaintext may lack its padding. Throws Error{mismatch} with the offset of the first
  // byte that differs.
  void compare(std::span<const std::byte> ciphertext, std::span<const std::byte> plaintext);

 private:
  OpensslStream reference_;
  std::vector<std::byte> expected_;  // plaintext: wiped
  std::uint64_t offset_ = 0;
};

// decrypt(), watched. Throws as both.
Decrypted decrypt_watched(const CipherRequest& request, const auth::SecretBytes& secret, const CipherRun& run,
                          std::unique_ptr<stream::Source> source, stream::Sink& sink);

}  // namespace fugu::cli
