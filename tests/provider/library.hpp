// A library context with the providers of a test.
#pragma once

#include <openssl/evp.h>
#include <openssl/provider.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/bytes.hpp"

namespace fugu::provider {

using test::Bytes;

inline const unsigned char* octets(const Bytes& bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// Makes a library context with the provider `name` from `folder` (null: where OpenSSL keeps its modules).
class Library {
 public:
  explicit Library(std::initializer_list<std::pair<const char*, const char*>> providers)
      : context_(OSSL_LIB_CTX_new()) {
    for (const auto& [name, folder] : providers) {
      OSSL_PROVIDER_set_default_search_path(context_, folder);
      OSSL_PROVIDER* const provider = OSSL_PROVIDER_load(context_, name);
      if (provider == nullptr) throw std::runtime_error(std::string("OpenSSL has no provider ") + name);
      providers_.push_back(provider);
    }
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    for (OSSL_PROVIDER* provider : providers_) OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(context_);
  }

  OSSL_LIB_CTX* get() const { return context_; }

 private:
  OSSL_LIB_CTX* context_;
  std::vector<OSSL_PROVIDER*> providers_;
};

inline constexpr std::pair<const char*, const char*> kFugu{"fugu", FUGU_MODULES};
inline constexpr std::pair<const char*, const char*> kLegacy{"legacy", nullptr};

struct FreeCipher {
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
};
struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherHandle = std::unique_ptr<EVP_CIPHER, FreeCipher>;
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

inline CipherHandle fetch(const Library& library, const char* name, const char* query = nullptr) {
  return CipherHandle(EVP_CIPHER_fetch(library.get(), name, query));
}

}  // namespace fugu::provider
