#include "fugu/auth/kdf.hpp"

#include <atomic>
#include <limits>

#include "fugu/auth/detail/derivation.hpp"
#include "fugu/auth/detail/openssl_handle.hpp"
#include "fugu/auth/digest.hpp"

namespace fugu::auth {
namespace {

std::atomic<unsigned> under_way = 0;

int to_int(std::size_t n, const char* what) {
  if (n > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(Errc::usage, std::string(what) + " is too large");
  }
  return static_cast<int>(n);
}

// EVP_BytesToKey takes a null pointer to mean "say how long a key is" and derives nothing.
const unsigned char* non_null(std::span<const std::byte> bytes) {
  static constexpr unsigned char kEmpty = 0;
  return bytes.empty() ? &kEmpty : octets(bytes.data());
}

}  // namespace

Derivation::Derivation() noexcept {
  ++under_way;
}

Derivation::~Derivation() {
  --under_way;
}

unsigned key_derivations_under_way() noexcept {
  return under_way;
}

bool digest_exists(const std::string& digest) {
  try {
    return require_digest(digest) != nullptr;
  } catch (const Error&) {
    return false;
  }
}

SecretBytes bytes_to_key(const std::string& digest, const SecretBytes& passphrase,
                         std::span<const std::byte> salt, std::size_t bytes) {
  if (bytes > kMaxBytesToKeyBytes)
    throw Error(Errc::usage, "EVP_BytesToKey gives at most 64 bytes of key and iv here");
  if (!salt.empty() && salt.size() != PKCS5_SALT_LEN) throw Error(Errc::usage, "a salt is 8 bytes");
  Digest hash(digest);
  SecretBytes stream(bytes + hash.size());  // whole digests
  std::span<const std::byte> before;
  for (std::size_t at = 0; at < bytes; at += hash.size()) {
    hash.update(before).update(passphrase.span()).update(salt).finish(stream.span().subspan(at));
    before = std::as_const(stream).span().subspan(at, hash.size());
  }
  return SecretBytes(std::as_const(stream).span().first(bytes));
}

SecretBytes pbkdf2(const std::string& digest, const SecretBytes& passphrase, std::span<const std::byte> salt,
                   std::uint32_t iterations, std::size_t bytes) {
  if (iterations == 0) throw Error(Errc::usage, "PBKDF2 needs at least one iteration");
  const DigestHandle md = require_digest(digest);
  SecretBytes key(bytes);
  const Derivation counted;
  if (PKCS5_PBKDF2_HMAC(reinterpret_cast<const char*>(non_null(passphrase.span())),
                        to_int(passphrase.size(), "the passphrase"), non_null(salt),
                        to_int(salt.size(), "the salt"), to_int(iterations, "the number of iterations"),
                        md.get(), to_int(bytes, "the key"), octets(key.data())) != 1) {
    openssl_failed(Errc::usage, "PBKDF2 cannot use digest '" + digest + "'");
  }
  return key;
}

}  // namespace fugu::auth
