#include "fugu/auth/kdf.hpp"

#include <limits>

#include "fugu/auth/detail/openssl_handle.hpp"

namespace fugu::auth {
namespace {

DigestHandle require_digest(const std::string& name) {
  DigestHandle digest(EVP_MD_fetch(default_library(), name.c_str(), nullptr));
  if (!digest) openssl_failed(Errc::usage, "unknown digest '" + name + "'");
  return digest;
}

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

bool digest_exists(const std::string& digest) {
  try {
    return require_digest(digest) != nullptr;
  } catch (const Error&) {
    return false;
  }
}

// EVP_BytesToKey cuts its one stream of digests into a key and an IV of the sizes of a cipher. AES-256-CBC
// only lends its sizes, 32 and 16: the stream is the same for every cipher.
SecretBytes bytes_to_key(const std::string& digest, const SecretBytes& passphrase,
                         std::span<const std::byte> salt, std::size_t bytes) {
  constexpr std::size_t kKeyPart = 32;
  static_assert(kKeyPart + 16 == kMaxBytesToKeyBytes);
  if (bytes > kMaxBytesToKeyBytes)
    throw Error(Errc::usage, "EVP_BytesToKey gives at most 48 bytes of key and iv");
  if (!salt.empty() && salt.size() != PKCS5_SALT_LEN) throw Error(Errc::usage, "a salt is 8 bytes");
  const DigestHandle md = require_digest(digest);

  SecretBytes stream(kMaxBytesToKeyBytes);
  unsigned char* out = octets(stream.data());
  const int passphrase_bytes = to_int(passphrase.size(), "the passphrase");
  if (EVP_BytesToKey(EVP_aes_256_cbc(), md.get(), salt.empty() ? nullptr : octets(salt.data()),
                     non_null(passphrase.span()), passphrase_bytes, 1, out, out + kKeyPart) == 0) {
    openssl_failed(Errc::usage, "EVP_BytesToKey cannot use digest '" + digest + "'");
  }
  return SecretBytes(std::as_const(stream).span().first(bytes));
}

SecretBytes pbkdf2(const std::string& digest, const SecretBytes& passphrase, std::span<const std::byte> salt,
                   std::uint32_t iterations, std::size_t bytes) {
  if (iterations == 0) throw Error(Errc::usage, "PBKDF2 needs at least one iteration");
  const DigestHandle md = require_digest(digest);
  SecretBytes key(bytes);
  if (PKCS5_PBKDF2_HMAC(reinterpret_cast<const char*>(non_null(passphrase.span())),
                        to_int(passphrase.size(), "the passphrase"), non_null(salt),
                        to_int(salt.size(), "the salt"), to_int(iterations, "the number of iterations"),
                        md.get(), to_int(bytes, "the key"), octets(key.data())) != 1) {
    openssl_failed(Errc::usage, "PBKDF2 cannot use digest '" + digest + "'");
  }
  return key;
}

}  // namespace fugu::auth
