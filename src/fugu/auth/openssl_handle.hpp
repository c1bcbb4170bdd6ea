// Ownership of OpenSSL objects and how its failures become ours. Private to this layer's .cpp files.
//
// OpenSSL keeps a queue of errors per thread; whoever sees a call fail empties it, so that nothing stale is
// left for the program's own use of OpenSSL.
#pragma once

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

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
using LibraryHandle = std::unique_ptr<OSSL_LIB_CTX, OpensslDelete<OSSL_LIB_CTX_free>>;
using ProviderHandle = std::unique_ptr<OSSL_PROVIDER, OpensslDelete<OSSL_PROVIDER_unload>>;

[[noreturn]] inline void openssl_failed(Errc code, std::string text) {
  ERR_clear_error();
  throw Error(code, std::move(text));
}

inline unsigned char* octets(std::byte* bytes) {
  return reinterpret_cast<unsigned char*>(bytes);
}
inline const unsigned char* octets(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

}  // namespace fugu::auth
