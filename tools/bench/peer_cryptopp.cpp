#include <crypto++/blowfish.h>
#include <crypto++/config_ver.h>
#include <crypto++/modes.h>

#include "peer.hpp"

namespace fugu::bench {
namespace {

namespace pp = CryptoPP;

template <template <class> class Mode>
struct Pair {
  typename Mode<pp::Blowfish>::Encryption encrypt;
  typename Mode<pp::Blowfish>::Decryption decrypt;
};

class CryptoPlusPlus final : public Peer {
 public:
  explicit CryptoPlusPlus(const Secrets& secrets) : secrets_(secrets) {}

  std::string name() const override {
    return "crypto++-" + std::to_string(CRYPTOPP_MAJOR) + "." + std::to_string(CRYPTOPP_MINOR);
  }

  bool run(Work work, std::span<unsigned char> data) override {
    cipher(work).ProcessData(data.data(), data.data(), data.size());
    return true;
  }

 private:
  pp::SymmetricCipher& cipher(Work work) {
    switch (work) {
      case Work::ecb_encrypt:
        return keyed(ecb_.encrypt);
      case Work::ecb_decrypt:
        return keyed(ecb_.decrypt);
      case Work::cbc_encrypt:
        return keyed(cbc_.encrypt);
      case Work::cbc_decrypt:
        return keyed(cbc_.decrypt);
      case Work::cfb_encrypt:
        return keyed(cfb_.encrypt);
      case Work::cfb_decrypt:
        return keyed(cfb_.decrypt);
      case Work::ofb:
        return keyed(ofb_);
      case Work::ctr:
        break;
    }
    return keyed(ctr_);
  }

  // Takes tens of microseconds, little beside the 64 MiB that follow.
  pp::SymmetricCipher& keyed(pp::SymmetricCipher& mode) const {
    if (mode.IsResynchronizable()) {
      mode.SetKeyWithIV(secrets_.key.data(), secrets_.key.size(), secrets_.iv.data(), secrets_.iv.size());
    } else {
      mode.SetKey(secrets_.key.data(), secrets_.key.size());
    }
    return mode;
  }

  Secrets secrets_;
  Pair<pp::ECB_Mode> ecb_;
  Pair<pp::CBC_Mode> cbc_;
  Pair<pp::CFB_Mode> cfb_;
  pp::OFB_Mode<pp::Blowfish>::Encryption ofb_;
  pp::CTR_Mode<pp::Blowfish>::Encryption ctr_;
};

}  // namespace

std::unique_ptr<Peer> cryptopp_peer(const Secrets& secrets) {
  return std::make_unique<CryptoPlusPlus>(secrets);
}

}  // namespace fugu::bench
