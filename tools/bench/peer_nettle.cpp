#include <nettle/blowfish.h>
#include <nettle/cbc.h>
#include <nettle/cfb.h>
#include <nettle/ctr.h>
#include <nettle/version.h>

#include <algorithm>

#include "peers.hpp"

namespace fugu::bench {
namespace {

using mode::Mode;

void encrypt_blocks(const void* key, std::size_t bytes, std::uint8_t* to, const std::uint8_t* from) {
  nettle_blowfish_encrypt(static_cast<const blowfish_ctx*>(key), bytes, to, from);
}
void decrypt_blocks(const void* key, std::size_t bytes, std::uint8_t* to, const std::uint8_t* from) {
  nettle_blowfish_decrypt(static_cast<const blowfish_ctx*>(key), bytes, to, from);
}

std::string name() {
  return "nettle " + std::to_string(NETTLE_VERSION_MAJOR) + "." + std::to_string(NETTLE_VERSION_MINOR);
}

bool run(const PeerWork& work) {
  blowfish_ctx key{};
  nettle_blowfish_set_key(&key, work.key.size(), work.key.data());
  std::uint8_t iv[BLOWFISH_BLOCK_SIZE];
  std::copy_n(work.iv, sizeof iv, iv);
  const auto blocks = work.decrypts ? decrypt_blocks : encrypt_blocks;
  const auto chain = [&](auto* function, auto* cipher) {
    function(&key, cipher, BLOWFISH_BLOCK_SIZE, iv, work.bytes, work.data, work.data);
  };
  if (work.mode == Mode::ecb) blocks(&key, work.bytes, work.data, work.data);
  if (work.mode == Mode::cbc) chain(work.decrypts ? nettle_cbc_decrypt : nettle_cbc_encrypt, blocks);
  if (work.mode == Mode::cfb64)
    chain(work.decrypts ? nettle_cfb_decrypt : nettle_cfb_encrypt, encrypt_blocks);
  if (work.mode == Mode::ctr) chain(nettle_ctr_crypt, encrypt_blocks);
  return work.mode != Mode::ofb;
}

}  // namespace

const Peer kNettle{name, run};

}  // namespace fugu::bench
