#include <gcrypt.h>

#include <stdexcept>

#include "peers.hpp"

namespace fugu::bench {
namespace {

using mode::Mode;

int gcrypt_mode(Mode mode) {
  return mode == Mode::ecb     ? GCRY_CIPHER_MODE_ECB
         : mode == Mode::cbc   ? GCRY_CIPHER_MODE_CBC
         : mode == Mode::cfb64 ? GCRY_CIPHER_MODE_CFB
         : mode == Mode::ofb   ? GCRY_CIPHER_MODE_OFB
                               : GCRY_CIPHER_MODE_CTR;
}

std::string name() {
  return std::string("libgcrypt ") + gcry_check_version(nullptr);
}

bool run(const PeerWork& work) {
  gcry_check_version(nullptr);
  gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
  gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  gcry_cipher_hd_t handle{};
  if (gcry_cipher_open(&handle, GCRY_CIPHER_BLOWFISH, gcrypt_mode(work.mode), 0) != 0 ||
      gcry_cipher_setkey(handle, work.key.data(), work.key.size()) != 0)
    throw std::runtime_error("libgcrypt");
  if (work.mode == Mode::ctr) gcry_cipher_setctr(handle, work.iv, 8);
  if (work.mode != Mode::ctr && work.mode != Mode::ecb) gcry_cipher_setiv(handle, work.iv, 8);
  const auto process = work.decrypts ? gcry_cipher_decrypt : gcry_cipher_encrypt;
  const bool done = process(handle, work.data, work.bytes, nullptr, 0) == 0;
  gcry_cipher_close(handle);
  return done;
}

}  // namespace

const Peer kLibgcrypt{name, run};

}  // namespace fugu::bench
