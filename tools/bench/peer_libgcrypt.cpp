#include <gcrypt.h>

#include <array>
#include <stdexcept>

#include "peer.hpp"

namespace fugu::bench {
namespace {

class Libgcrypt final : public Peer {
 public:
  explicit Libgcrypt(const Secrets& secrets) : secrets_(secrets) {
    gcry_check_version(nullptr);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    constexpr std::array<int, kWorks> kModes{GCRY_CIPHER_MODE_ECB, GCRY_CIPHER_MODE_ECB, GCRY_CIPHER_MODE_CBC,
                                             GCRY_CIPHER_MODE_CBC, GCRY_CIPHER_MODE_CFB, GCRY_CIPHER_MODE_CFB,
                                             GCRY_CIPHER_MODE_OFB, GCRY_CIPHER_MODE_CTR};
    for (std::size_t i = 0; i < kModes.size(); ++i) {
      if (gcry_cipher_open(&handles_[i], GCRY_CIPHER_BLOWFISH, kModes[i], 0) != 0 ||
          gcry_cipher_setkey(handles_[i], secrets.key.data(), secrets.key.size()) != 0) {
        throw std::runtime_error("libgcrypt");
      }
    }
  }
  ~Libgcrypt() override {
    for (gcry_cipher_hd_t handle : handles_) gcry_cipher_close(handle);
  }

  std::string name() const override { return std::string("libgcrypt-") + gcry_check_version(nullptr); }

  bool run(Work work, std::span<unsigned char> data) override {
    gcry_cipher_hd_t handle = handles_[static_cast<std::size_t>(work)];
    if (work == Work::ctr) {
      gcry_cipher_setctr(handle, secrets_.iv.data(), secrets_.iv.size());
    } else if (work != Work::ecb_encrypt && work != Work::ecb_decrypt) {
      gcry_cipher_setiv(handle, secrets_.iv.data(), secrets_.iv.size());
    }
    return (decrypts(work) ? gcry_cipher_decrypt(handle, data.data(), data.size(), nullptr, 0)
                           : gcry_cipher_encrypt(handle, data.data(), data.size(), nullptr, 0)) == 0;
  }

 private:
  Secrets secrets_;
  std::array<gcry_cipher_hd_t, kWorks> handles_{};
};

}  // namespace

std::unique_ptr<Peer> libgcrypt_peer(const Secrets& secrets) {
  return std::make_unique<Libgcrypt>(secrets);
}

}  // namespace fugu::bench
