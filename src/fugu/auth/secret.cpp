#include "fugu/auth/secret.hpp"

#include <openssl/crypto.h>

#include <utility>

#include "fugu/platform/system.hpp"

namespace fugu::auth {

SecretBytes::SecretBytes(std::size_t bytes) {
  if (bytes == 0) return;
  data_ = new std::byte[bytes]{};
  size_ = bytes;
  // Best effort: the limit on locked memory may be exhausted. There is no matching munlock, because the page
  // may hold other secrets, and locks do not nest.
  platform::lock_memory(data_, size_);
}

// Copies byte by byte: memcpy() leaves the end in a vector register that may live on, and a signal handler or
// lazy binding, which save registers, would write it to a stack.
SecretBytes::SecretBytes(std::span<const std::byte> copy_of) : SecretBytes(copy_of.size()) {
  const volatile std::byte* from = copy_of.data();
  for (std::size_t i = 0; i < size_; ++i) data_[i] = from[i];
}

SecretBytes::SecretBytes(std::string_view copy_of) : SecretBytes(std::as_bytes(std::span(copy_of))) {}

SecretBytes::SecretBytes(SecretBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

SecretBytes& SecretBytes::operator=(SecretBytes&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

SecretBytes::~SecretBytes() {
  release();
}

void SecretBytes::release() noexcept {
  if (data_ == nullptr) return;
  OPENSSL_cleanse(data_, size_);
  delete[] data_;
}

}  // namespace fugu::auth
