#include <botan/block_cipher.h>
#include <botan/cipher_mode.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>

#include "peer.hpp"

namespace fugu::bench {
namespace {

class Botan2 final : public Peer {
 public:
  explicit Botan2(const Secrets& secrets)
      : secrets_(secrets),
        block_(Botan::BlockCipher::create_or_throw("Blowfish")),
        ofb_(Botan::StreamCipher::create_or_throw("OFB(Blowfish)")),
        ctr_(Botan::StreamCipher::create_or_throw("CTR-BE(Blowfish)")) {
    block_->set_key(secrets.key.data(), secrets.key.size());
    ofb_->set_key(secrets.key.data(), secrets.key.size());
    ctr_->set_key(secrets.key.data(), secrets.key.size());
    for (std::size_t i = 0; i < 4; ++i) {
      chains_[i] = Botan::Cipher_Mode::create_or_throw(i < 2 ? "Blowfish/CBC/NoPadding" : "Blowfish/CFB",
                                                       i % 2 == 0 ? Botan::ENCRYPTION : Botan::DECRYPTION);
      chains_[i]->set_key(secrets.key.data(), secrets.key.size());
    }
  }

  std::string name() const override { return std::string("botan-") + Botan::short_version_cstr(); }

  bool run(Work work, std::span<unsigned char> data) override {
    switch (work) {
      case Work::ecb_encrypt:
        block_->encrypt_n(data.data(), data.data(), data.size() / 8);
        return true;
      case Work::ecb_decrypt:
        block_->decrypt_n(data.data(), data.data(), data.size() / 8);
        return true;
      case Work::ofb:
        return run_stream(*ofb_, data);
      case Work::ctr:
        return run_stream(*ctr_, data);
      case Work::cbc_encrypt:
        return run_chain(*chains_[0], data);
      case Work::cbc_decrypt:
        return run_chain(*chains_[1], data);
      case Work::cfb_encrypt:
        return run_chain(*chains_[2], data);
      case Work::cfb_decrypt:
        return run_chain(*chains_[3], data);
    }
    return false;
  }

 private:
  bool run_stream(Botan::StreamCipher& cipher, std::span<unsigned char> data) {
    cipher.set_iv(secrets_.iv.data(), secrets_.iv.size());
    cipher.cipher1(data.data(), data.size());
    return true;
  }

  bool run_chain(Botan::Cipher_Mode& mode, std::span<unsigned char> data) {
    mode.reset();
    mode.start(secrets_.iv.data(), secrets_.iv.size());
    return mode.process(data.data(), data.size()) == data.size();
  }

  Secrets secrets_;
  std::unique_ptr<Botan::BlockCipher> block_;
  std::unique_ptr<Botan::StreamCipher> ofb_;
  std::unique_ptr<Botan::StreamCipher> ctr_;
  std::unique_ptr<Botan::Cipher_Mode> chains_[4];
};

}  // namespace

std::unique_ptr<Peer> botan_2_peer(const Secrets& secrets) {
  return std::make_unique<Botan2>(secrets);
}

}  // namespace fugu::bench
