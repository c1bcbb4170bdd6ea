// A decryption checked by OpenSSL's Blowfish: every chunk's plaintext is compared with OpenSSL's result for
// the same ciphertext.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "fugu/format/job.hpp"
#include "measure/openssl_stream.hpp"

namespace fugu::cli {

class ReferenceCheck final : public format::Watcher {
 public:
  ReferenceCheck() = default;
  ReferenceCheck(const ReferenceCheck&) = delete;
  ReferenceCheck& operator=(const ReferenceCheck&) = delete;
  ~ReferenceCheck() override;

  // Throws Error{usage} for settings without a counterpart in OpenSSL: cfb8, little-endian words, a
  // little-endian counter.
  void begin(const mode::Settings& settings, std::span<const std::byte> key) override;

  // Throws Error{mismatch} with the offset of the first byte that differs.
  void chunk(std::span<const std::byte> ciphertext, std::span<const std::byte> plaintext) override;

 private:
  std::optional<OpensslStream> reference_;
  std::vector<std::byte> expected_;  // plaintext: wiped
  std::uint64_t offset_ = 0;
};

}  // namespace fugu::cli
