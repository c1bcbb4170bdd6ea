// Bytes that are wiped on destruction and kept out of swap where the system allows it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "fugu/export.hpp"

namespace fugu::auth {

class FUGU_EXPORT SecretBytes {
 public:
  SecretBytes() = default;
  explicit SecretBytes(std::size_t bytes);  // zeroed
  explicit SecretBytes(std::span<const std::byte> copy_of);
  explicit SecretBytes(std::string_view copy_of);
  SecretBytes(SecretBytes&& other) noexcept;
  SecretBytes& operator=(SecretBytes&& other) noexcept;
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;
  ~SecretBytes();

  std::byte* data() noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::span<std::byte> span() noexcept { return {data_, size_}; }
  std::span<const std::byte> span() const noexcept { return {data_, size_}; }

 private:
  void release() noexcept;

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Random bytes that may become public, from OpenSSL's generator: salts and IVs. Throws Error{io} when the
// system has no randomness.
FUGU_EXPORT void random_bytes(std::span<std::byte> out);

// Random bytes that stay secret, from a generator of OpenSSL's whose output is never published, XOR the
// kernel's getrandom(). Throws as above.
FUGU_EXPORT SecretBytes random_secret(std::size_t bytes);

}  // namespace fugu::auth
