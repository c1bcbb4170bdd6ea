#include "fugu/auth/random.hpp"

#include <openssl/rand.h>

#include "fugu/auth/detail/openssl_handle.hpp"

namespace fugu::auth {
namespace {

using Generator = int(OSSL_LIB_CTX*, unsigned char*, std::size_t, unsigned int);

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
  return secret;
}

}  // namespace fugu::auth
