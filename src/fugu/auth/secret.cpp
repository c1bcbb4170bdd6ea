#include "fugu/auth/secret.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fugu/auth/detail/openssl_handle.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/platform/system.hpp"

namespace fugu::auth {
namespace {

using Generator = int(OSSL_LIB_CTX*, unsigned char*, std::size_t, unsigned int);

// A copied process or virtual machine repeats the state of OpenSSL's generator until it is seeded again; the
// kernel's notices.
void add_kernels(std::span<std::byte> out) {
  std::array<std::byte, 256> bytes;
  while (!out.empty()) {
    const std::size_t step = std::min(out.size(), bytes.size());
    platform::system_random(std::span(bytes).first(step));
    for (std::size_t i = 0; i < step; ++i) out[i] ^= bytes[i];
    out = out.subspan(step);
  }
  core::wipe(bytes.data(), bytes.size());
}

void draw(Generator generator, std::span<std::byte> out) {
  constexpr unsigned kDefaultStrength = 0;
  if (out.empty()) return;
  if (generator(default_library(), octets(out.data()), out.size(), kDefaultStrength) != 1)
    openssl_failed(Errc::io, "the system's random generator failed");
}

}  // namespace

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

void random_bytes(std::span<std::byte> out) {
  draw(RAND_bytes_ex, out);
}

SecretBytes random_secret(std::size_t bytes) {
  SecretBytes secret(bytes);
  draw(RAND_priv_bytes_ex, secret.span());
  add_kernels(secret.span());
  return secret;
}

}  // namespace fugu::auth
