#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fugu/engine/registry.hpp"
#include "peer.hpp"

namespace fugu::bench {
namespace {

struct Free {
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Iv = decltype(Secrets::iv);
using Context = std::unique_ptr<EVP_CIPHER_CTX, Free>;

class OpenSsl final : public Peer {
 public:
  explicit OpenSsl(const Secrets& secrets) : secrets_(secrets), library_(OSSL_LIB_CTX_new()) {
    if (OSSL_PROVIDER_load(library_, "legacy") == nullptr)
      throw std::runtime_error("OpenSSL has no legacy provider");
    constexpr std::array<const char*, kWorks> kNames{"BF-ECB", "BF-ECB", "BF-CBC", "BF-CBC",
                                                     "BF-CFB", "BF-CFB", "BF-OFB", nullptr};
    for (std::size_t i = 0; i < kWorks; ++i) contexts_[i] = open(kNames[i], !decrypts(static_cast<Work>(i)));
  }

  std::string name() const override {
    return std::string("openssl-") + OpenSSL_version(OPENSSL_VERSION_STRING);
  }

  bool run(Work work, std::span<unsigned char> data) override { return run_from(secrets_.iv, work, data); }

  bool run_from(const Iv& iv, Work work, std::span<unsigned char> data) {
    EVP_CIPHER_CTX* context = contexts_[static_cast<std::size_t>(work)].get();
    if (context == nullptr) return false;
    int written = 0;
    return EVP_CipherInit_ex2(context, nullptr, nullptr, iv.data(), -1, nullptr) == 1 &&
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
  std::array<Context, kWorks> contexts_;
};

class ParallelOpenSsl final : public Peer {
 public:
  explicit ParallelOpenSsl(const Secrets& secrets) : ivs_(std::thread::hardware_concurrency(), secrets.iv) {
    for (std::size_t i = 0; i < ivs_.size(); ++i) cores_.emplace_back(secrets);
  }

  std::string name() const override { return cores_.front().name(); }

  bool run(Work work, std::span<unsigned char> data) override {
    if (is_serial(work) || work == Work::ctr) return false;
    const auto begin_of = [&](std::size_t part) { return 8 * (data.size() / 8 * part / cores_.size()); };
    for (std::size_t i = 1; i < ivs_.size(); ++i)  // before anybody overwrites the ciphertext
      if (begin_of(i) != 0) std::copy_n(data.data() + begin_of(i) - 8, 8, ivs_[i].begin());
    threads_->for_each(cores_.size(), [&](std::size_t i) {
      const auto part = data.subspan(begin_of(i), begin_of(i + 1) - begin_of(i));
      if (!part.empty()) cores_[i].run_from(begin_of(i) == 0 ? ivs_[0] : ivs_[i], work, part);
    });
    return true;
  }

 private:
  std::vector<Iv> ivs_;
  std::vector<OpenSsl> cores_;
  std::unique_ptr<engine::Engine> threads_ = engine::make("cpu/scalar");  // it keeps a thread for every core
};

}  // namespace

std::unique_ptr<Peer> parallel_openssl_peer(const Secrets& secrets) {
  return std::make_unique<ParallelOpenSsl>(secrets);
}

std::unique_ptr<Peer> openssl_peer(const Secrets& secrets) {
  return std::make_unique<OpenSsl>(secrets);
}

}  // namespace fugu::bench
