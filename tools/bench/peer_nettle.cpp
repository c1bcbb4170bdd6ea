#include <nettle/blowfish.h>
#include <nettle/cbc.h>
#include <nettle/cfb.h>
#include <nettle/ctr.h>
#include <nettle/version.h>

#include "peer.hpp"

namespace fugu::bench {
namespace {

void encrypt_blocks(const void* key, std::size_t bytes, std::uint8_t* to, const std::uint8_t* from) {
  nettle_blowfish_encrypt(static_cast<const blowfish_ctx*>(key), bytes, to, from);
}
void decrypt_blocks(const void* key, std::size_t bytes, std::uint8_t* to, const std::uint8_t* from) {
  nettle_blowfish_decrypt(static_cast<const blowfish_ctx*>(key), bytes, to, from);
}

class Nettle final : public Peer {
 public:
  explicit Nettle(const Secrets& secrets) : secrets_(secrets) {
    nettle_blowfish_set_key(&key_, secrets.key.size(), secrets.key.data());
  }

  std::string name() const override {
    return "nettle-" + std::to_string(NETTLE_VERSION_MAJOR) + "." + std::to_string(NETTLE_VERSION_MINOR);
  }

  bool run(Work work, std::span<unsigned char> data) override {
    auto iv = secrets_.iv;
    unsigned char* bytes = data.data();
    const auto chain = [&](auto mode, auto* blocks) {
      mode(&key_, blocks, BLOWFISH_BLOCK_SIZE, iv.data(), data.size(), bytes, bytes);
      return true;
    };
    switch (work) {
      case Work::ecb_encrypt:
        encrypt_blocks(&key_, data.size(), bytes, bytes);
        return true;
      case Work::ecb_decrypt:
        decrypt_blocks(&key_, data.size(), bytes, bytes);
        return true;
      case Work::cbc_encrypt:
        return chain(nettle_cbc_encrypt, encrypt_blocks);
      case Work::cbc_decrypt:
        return chain(nettle_cbc_decrypt, decrypt_blocks);
      case Work::cfb_encrypt:
        return chain(nettle_cfb_encrypt, encrypt_blocks);
      case Work::cfb_decrypt:
        return chain(nettle_cfb_decrypt, encrypt_blocks);
      case Work::ctr:
        return chain(nettle_ctr_crypt, encrypt_blocks);
      case Work::ofb:
        return false;
    }
    return false;
  }

 private:
  Secrets secrets_;
  blowfish_ctx key_{};
};

}  // namespace

std::unique_ptr<Peer> nettle_peer(const Secrets& secrets) {
  return std::make_unique<Nettle>(secrets);
}

}  // namespace fugu::bench
