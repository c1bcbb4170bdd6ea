#include <crypto++/blowfish.h>
#include <crypto++/config_ver.h>
#include <crypto++/modes.h>

#include "peers.hpp"

namespace fugu::bench {
namespace {

namespace pp = CryptoPP;
using mode::Mode;

std::string name() {
  return "crypto++ " + std::to_string(CRYPTOPP_MAJOR) + "." + std::to_string(CRYPTOPP_MINOR);
}

void process(pp::SymmetricCipher&& cipher, const PeerWork& work) {
  if (cipher.IsResynchronizable()) {
    cipher.SetKeyWithIV(work.key.data(), work.key.size(), work.iv, 8);
  } else {
    cipher.SetKey(work.key.data(), work.key.size());
  }
  cipher.ProcessData(work.data, work.data, work.bytes);
}

template <template <class> class CipherMode>
void run_mode(const PeerWork& work) {
  if (work.decrypts) {
    process(typename CipherMode<pp::Blowfish>::Decryption(), work);
  } else {
    process(typename CipherMode<pp::Blowfish>::Encryption(), work);
  }
}

bool run(const PeerWork& work) {
  if (work.mode == Mode::ecb) run_mode<pp::ECB_Mode>(work);
  if (work.mode == Mode::cbc) run_mode<pp::CBC_Mode>(work);
  if (work.mode == Mode::cfb64) run_mode<pp::CFB_Mode>(work);
  if (work.mode == Mode::ofb) run_mode<pp::OFB_Mode>(work);
  if (work.mode == Mode::ctr) run_mode<pp::CTR_Mode>(work);
  return true;
}

}  // namespace

const Peer kCryptopp{name, run};

}  // namespace fugu::bench
