// OpenSSL's Blowfish (legacy provider, in a library context of its own): the reference values of tests. Test
// binaries that include it link OpenSSL::Crypto.
#pragma once

#include <openssl/evp.h>
#include <openssl/provider.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "fugu/core/block.hpp"
#include "support/bytes.hpp"

namespace fugu::test {

inline void require(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(std::string("OpenSSL: ") + what);
}

// Lives as long as the process: OpenSSL keeps references into it.
inline OSSL_LIB_CTX* openssl_legacy_context() {
  static OSSL_LIB_CTX* const context = [] {
    OSSL_LIB_CTX* fresh = OSSL_LIB_CTX_new();
    require(fresh != nullptr && OSSL_PROVIDER_load(fresh, "legacy") != nullptr, "no legacy provider");
    return fresh;
  }();
  return context;
}

// One key in one mode and direction ("BF-ECB", "BF-CBC", "BF-CFB", "BF-OFB"); each apply() restarts it.
class OpenSslBlowfish {
 public:
  OpenSslBlowfish(const char* mode, bool encrypt, std::span<const std::byte> key)
      : cipher_(EVP_CIPHER_fetch(openssl_legacy_context(), mode, nullptr)), context_(EVP_CIPHER_CTX_new()) {
    require(cipher_ && context_, mode);
    const int direction = encrypt ? 1 : 0;
    require(EVP_CipherInit_ex2(context_.get(), cipher_.get(), nullptr, nullptr, direction, nullptr) == 1,
            "init");
    require(EVP_CIPHER_CTX_set_key_length(context_.get(), static_cast<int>(key.size())) == 1, "key length");
    require(EVP_CipherInit_ex2(context_.get(), nullptr, bytes_of(key), nullptr, direction, nullptr) == 1,
            "key");
    EVP_CIPHER_CTX_set_padding(context_.get(), 0);
  }

  Bytes apply(std::span<const std::byte> in, std::uint64_t iv = 0) {
    std::array<std::byte, 8> iv_bytes{};
    core::store_u64_big(iv_bytes.data(), iv);
    require(EVP_CipherInit_ex2(context_.get(), nullptr, nullptr, bytes_of(iv_bytes), -1, nullptr) == 1, "iv");
    Bytes out(in.size());
    int written = 0;
    require(EVP_CipherUpdate(context_.get(), reinterpret_cast<unsigned char*>(out.data()), &written,
                             bytes_of(in), static_cast<int>(in.size())) == 1 &&
                static_cast<std::size_t>(written) == in.size(),
            "update");
    return out;
  }

 private:
  static const unsigned char* bytes_of(std::span<const std::byte> bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
  }
  struct Free {
    void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };

  std::unique_ptr<EVP_CIPHER, Free> cipher_;
  std::unique_ptr<EVP_CIPHER_CTX, Free> context_;
};

// Memory of `blocks` counters from `first` on.
inline Bytes counter_blocks(std::size_t blocks, std::uint64_t first, core::ByteOrder order) {
  Bytes counters(8 * blocks);
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const std::size_t shift = order == core::ByteOrder::big ? 56 - 8 * (i % 8) : 8 * (i % 8);
    counters[i] = static_cast<std::byte>((first + i / 8) >> shift);
  }
  return counters;
}

// Reverses the bytes of each word: big-endian memory as a cipher with little-endian words sees it, and the
// inverse.
inline Bytes swap_words(std::span<const std::byte> in) {
  Bytes out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i ^ 3];
  return out;
}

}  // namespace fugu::test
