// Owners of OpenSSL objects, and the translation of its failures. Private to this layer's .cpp files.
//
// OpenSSL keeps a queue of errors per thread; the code that sees a call fail empties it, so that no stale
// errors disturb the program's own use of OpenSSL.
#pragma once

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/provider.h>

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "fugu/error.hpp"

namespace fugu::auth {

template <auto free_function>
struct OpensslDelete {
  template <class T>
  void operator()(T* object) const noexcept {
    static_cast<void>(free_function(object));
  }
};

using CipherHandle = std::unique_ptr<EVP_CIPHER, OpensslDelete<EVP_CIPHER_free>>;
using CipherContextHandle = std::unique_ptr<EVP_CIPHER_CTX, OpensslDelete<EVP_CIPHER_CTX_free>>;
using DigestHandle = std::unique_ptr<EVP_MD, OpensslDelete<EVP_MD_free>>;
using DigestContextHandle = std::unique_ptr<EVP_MD_CTX, OpensslDelete<EVP_MD_CTX_free>>;
using KdfHandle = std::unique_ptr<EVP_KDF, OpensslDelete<EVP_KDF_free>>;
using KdfContextHandle = std::unique_ptr<EVP_KDF_CTX, OpensslDelete<EVP_KDF_CTX_free>>;
using MacHandle = std::unique_ptr<EVP_MAC, OpensslDelete<EVP_MAC_free>>;
using MacContextHandle = std::unique_ptr<EVP_MAC_CTX, OpensslDelete<EVP_MAC_CTX_free>>;
using LibraryHandle = std::unique_ptr<OSSL_LIB_CTX, OpensslDelete<OSSL_LIB_CTX_free>>;
using ProviderHandle = std::unique_ptr<OSSL_PROVIDER, OpensslDelete<OSSL_PROVIDER_unload>>;

// Throws std::bad_alloc when OpenSSL ran out of memory, otherwise Error{code, text}.
[[noreturn]] inline void openssl_failed(Errc code, std::string_view text) {
  bool no_memory = false;
  for (unsigned long error = ERR_get_error(); error != 0; error = ERR_get_error())
    no_memory = no_memory || ERR_GET_REASON(error) == ERR_R_MALLOC_FAILURE;
  if (no_memory) throw std::bad_alloc();
  throw Error(code, std::string(text));
}

// Throws as openssl_failed does, with Errc::engine, when OpenSSL could not compute `what`.
inline void require(bool ok, const char* what) {
  if (!ok) openssl_failed(Errc::engine, std::string("OpenSSL cannot compute ") + what);
}

// A library context of our own with the default provider, unaffected by any openssl.cnf. Throws Error{engine}
// when it cannot be created.
OSSL_LIB_CTX* default_library();

// Loads the legacy provider into it once; false if there is none.
bool has_legacy_library();

// The same context with the legacy provider. Throws Error{engine} if there is none.
OSSL_LIB_CTX* legacy_library();

// Whether the default or the legacy provider has a digest of that name, in either case: looked up in their
// own tables, without allocating.
bool offers_digest(const std::string& name);

// Fetches from the default or the legacy provider. Throws Error{usage} when neither has it.
DigestHandle require_digest(const std::string& name);

inline unsigned char* octets(std::byte* bytes) {
  return reinterpret_cast<unsigned char*>(bytes);
}
inline const unsigned char* octets(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

// Never null, which OpenSSL interprets as "nothing given".
inline const unsigned char* input_of(std::span<const std::byte> bytes) {
  static constexpr std::byte kNothing{0};
  return octets(bytes.empty() ? &kNothing : bytes.data());
}

}  // namespace fugu::auth
