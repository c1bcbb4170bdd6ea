#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <array>
#include <stdexcept>

#include "peer.hpp"

namespace fugu::bench {
namespace {

struct Free {
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, Free>;

class OpenSsl final : public Peer {
 public:
  explicit OpenSsl(const Secrets& secrets) : secrets_(secrets), library_(OSSL_LIB_CTX_new()) {
    if (OSSL_PROVIDER_load(library_, "legacy") == nullptr)
      throw std::runtime_error("OpenSSL has no legacy provider");
    constexpr std::array<const char*, 7> kNames{"BF-ECB", "BF-ECB", "BF-CBC", "BF-CBC",
                                                "BF-CFB", "BF-CFB", nullptr};
    for (std::size_t i = 0; i < kNames.size(); ++i) contexts_[i] = open(kNames[i], i % 2 == 0);
  }

  std::string name() const override {
    return std::string("openssl-") + OpenSSL_version(OPENSSL_VERSION_STRING);
  }

  bool run(Work work, std::span<unsigned char> data) override {
    EVP_CIPHER_CTX* context = contexts_[static_cast<std::size_t>(work)].get();
    if (context == nullptr) return false;
    int written = 0;
    return EVP_CipherInit_ex2(context, nullptr, nullptr, secrets_.iv.data(), -1, nullptr) == 1 &&
           EVP_CipherUpdate(context, data.data(), &written, data.data(), static_cast<int>(data.size())) == 1;
  }

 private:
  Context open(const char* mode, bool encrypt) const {
    if (mode == nullptr) return {};
    const std::unique_ptr<EVP_CIPHER, Free> cipher(EVP_CIPHER_fetch(library_, mode, nullptr));
    Context context(EVP_CIPHER_CTX_new());
    if (EVP_CipherInit_ex2(context.get(), cipher.get(), secrets_.key.data(), secrets_.iv.data(),
                           encrypt ? 1 : 0, nullptr) != 1) {
      throw std::runtime_error("OpenSSL");
    }
    EVP_CIPHER_CTX_set_padding(context.get(), 0);
    return context;
  }

  Secrets secrets_;
  OSSL_LIB_CTX* library_;  // lives as long as the process
  std::array<Context, 7> contexts_;
};

}  // namespace

std::unique_ptr<Peer> openssl_peer(const Secrets& secrets) {
  return std::make_unique<OpenSsl>(secrets);
}

}  // namespace fugu::bench
