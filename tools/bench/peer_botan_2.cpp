#include <botan/block_cipher.h>
#include <botan/cipher_mode.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>

#include "peers.hpp"

namespace fugu::bench {
namespace {

using mode::Mode;

std::string name() {
  return std::string("botan ") + Botan::short_version_cstr();
}

void run_blocks(const PeerWork& work) {
  const auto cipher = Botan::BlockCipher::create_or_throw("Blowfish");
  cipher->set_key(work.key.data(), work.key.size());
  if (work.decrypts) {
    cipher->decrypt_n(work.data, work.data, work.bytes / 8);
  } else {
    cipher->encrypt_n(work.data, work.data, work.bytes / 8);
  }
}

void run_stream(const PeerWork& work, const char* algorithm) {
  const auto cipher = Botan::StreamCipher::create_or_throw(algorithm);
  cipher->set_key(work.key.data(), work.key.size());
  cipher->set_iv(work.iv, 8);
  cipher->cipher1(work.data, work.bytes);
}

void run_chain(const PeerWork& work, const char* algorithm) {
  const auto cipher =
      Botan::Cipher_Mode::create_or_throw(algorithm, work.decrypts ? Botan::DECRYPTION : Botan::ENCRYPTION);
  cipher->set_key(work.key.data(), work.key.size());
  cipher->start(work.iv, 8);
  cipher->process(work.data, work.bytes);
}

bool run(const PeerWork& work) {
  if (work.mode == Mode::ecb) run_blocks(work);
  if (work.mode == Mode::ofb) run_stream(work, "OFB(Blowfish)");
  if (work.mode == Mode::ctr) run_stream(work, "CTR-BE(Blowfish)");
  if (work.mode == Mode::cbc) run_chain(work, "Blowfish/CBC/NoPadding");
  if (work.mode == Mode::cfb64) run_chain(work, "Blowfish/CFB");
  return true;
}

}  // namespace

const Peer kBotan2{name, run};

}  // namespace fugu::bench
