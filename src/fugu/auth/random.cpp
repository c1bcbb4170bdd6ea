#include "fugu/auth/secret.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <array>

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
  if (generator(default_library(), octets(out.data()), out.size(), kDefaultStrength) != 1) {
    openssl_failed(Errc::io, "the system's random generator failed");
  }
}

}  // namespace

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
