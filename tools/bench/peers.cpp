// Other people's Blowfish: the libraries that CMake found, on one core, beside `fugu bench --scope kernel
// --mode ecb,cbc,cfb,ofb,ctr --direction both --size 64M`.
#include "bench.hpp"

#if defined(FUGU_HAVE_LIBGCRYPT)
#include <gcrypt.h>

#include <stdexcept>
#endif
#if defined(FUGU_HAVE_BOTAN_2)
#include <botan/block_cipher.h>
#include <botan/cipher_mode.h>
#include <botan/version.h>
#endif
#if defined(FUGU_HAVE_NETTLE)
#include <nettle/blowfish.h>
#include <nettle/cbc.h>
#include <nettle/cfb.h>
#include <nettle/ctr.h>
#include <nettle/version.h>

#include <algorithm>
#endif
#if defined(FUGU_HAVE_LIBCRYPTO__)
#include <crypto++/blowfish.h>
#include <crypto++/config_ver.h>
#include <crypto++/modes.h>
#endif

namespace fugu::bench {
namespace {

using core::Direction;
using mode::Mode;

constexpr std::size_t kBytes = std::size_t{64} << 20;
constexpr Operation kOperations[] = {{Mode::ecb, Direction::encrypt},   {Mode::ecb, Direction::decrypt},
                                     {Mode::cbc, Direction::encrypt},   {Mode::cbc, Direction::decrypt},
                                     {Mode::cfb64, Direction::encrypt}, {Mode::cfb64, Direction::decrypt},
                                     {Mode::ofb, Direction::encrypt},   {Mode::ctr, Direction::encrypt}};

struct PeerWork {
  Mode mode;
  bool decrypts;
  std::span<const unsigned char> key;
  const unsigned char* iv;  // 8 bytes
  unsigned char* data;      // processed in place
  std::size_t bytes;        // whole blocks
};

// Sets the key first, which takes tens of microseconds; false if the library has no such mode.
using PeerRun = bool (*)(const PeerWork& work);

[[maybe_unused]] std::string version(const char* library, int major, int minor) {
  return std::string(library) + " " + std::to_string(major) + "." + std::to_string(minor);
}

#if defined(FUGU_HAVE_LIBGCRYPT)
int gcrypt_mode(Mode mode) {
  return mode == Mode::ecb     ? GCRY_CIPHER_MODE_ECB
         : mode == Mode::cbc   ? GCRY_CIPHER_MODE_CBC
         : mode == Mode::cfb64 ? GCRY_CIPHER_MODE_CFB
         : mode == Mode::ofb   ? GCRY_CIPHER_MODE_OFB
                               : GCRY_CIPHER_MODE_CTR;
}

bool run_libgcrypt(const PeerWork& work) {
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
#endif

#if defined(FUGU_HAVE_BOTAN_2)
void run_botan_blocks(const PeerWork& work) {
  const auto cipher = Botan::BlockCipher::create_or_throw("Blowfish");
  cipher->set_key(work.key.data(), work.key.size());
  if (work.decrypts) {
    cipher->decrypt_n(work.data, work.data, work.bytes / 8);
  } else {
    cipher->encrypt_n(work.data, work.data, work.bytes / 8);
  }
}

void run_botan_chain(const PeerWork& work, const char* algorithm) {
  const auto cipher =
      Botan::Cipher_Mode::create_or_throw(algorithm, work.decrypts ? Botan::DECRYPTION : Botan::ENCRYPTION);
  cipher->set_key(work.key.data(), work.key.size());
  cipher->start(work.iv, 8);
  cipher->process(work.data, work.bytes);
}

bool run_botan(const PeerWork& work) {
  if (work.mode == Mode::ecb) run_botan_blocks(work);
  if (work.mode == Mode::ofb) run_botan_chain(work, "OFB(Blowfish)");
  if (work.mode == Mode::ctr) run_botan_chain(work, "CTR-BE(Blowfish)");
  if (work.mode == Mode::cbc) run_botan_chain(work, "Blowfish/CBC/NoPadding");
  if (work.mode == Mode::cfb64) run_botan_chain(work, "Blowfish/CFB");
  return true;
}
#endif

#if defined(FUGU_HAVE_NETTLE)
template <auto function>
void run_nettle_blocks(const void* key, std::size_t bytes, std::uint8_t* to, const std::uint8_t* from) {
  function(static_cast<const blowfish_ctx*>(key), bytes, to, from);
}

bool run_nettle(const PeerWork& work) {
  blowfish_ctx key{};
  nettle_blowfish_set_key(&key, work.key.size(), work.key.data());
  std::uint8_t iv[BLOWFISH_BLOCK_SIZE];
  std::copy_n(work.iv, sizeof iv, iv);
  const auto encrypt = run_nettle_blocks<nettle_blowfish_encrypt>;
  const auto blocks = work.decrypts ? run_nettle_blocks<nettle_blowfish_decrypt> : encrypt;
  const auto chain = [&](auto* function, auto* cipher) {
    function(&key, cipher, BLOWFISH_BLOCK_SIZE, iv, work.bytes, work.data, work.data);
  };
  if (work.mode == Mode::ecb) blocks(&key, work.bytes, work.data, work.data);
  if (work.mode == Mode::cbc) chain(work.decrypts ? nettle_cbc_decrypt : nettle_cbc_encrypt, blocks);
  if (work.mode == Mode::cfb64) chain(work.decrypts ? nettle_cfb_decrypt : nettle_cfb_encrypt, encrypt);
  if (work.mode == Mode::ctr) chain(nettle_ctr_crypt, encrypt);
  return work.mode != Mode::ofb;
}
#endif

#if defined(FUGU_HAVE_LIBCRYPTO__)
void process(CryptoPP::SymmetricCipher&& cipher, const PeerWork& work) {
  if (cipher.IsResynchronizable()) {
    cipher.SetKeyWithIV(work.key.data(), work.key.size(), work.iv, 8);
  } else {
    cipher.SetKey(work.key.data(), work.key.size());
  }
  cipher.ProcessData(work.data, work.data, work.bytes);
}

template <template <class> class CipherMode>
void run_cryptopp_mode(const PeerWork& work) {
  if (work.decrypts) {
    process(typename CipherMode<CryptoPP::Blowfish>::Decryption(), work);
  } else {
    process(typename CipherMode<CryptoPP::Blowfish>::Encryption(), work);
  }
}

bool run_cryptopp(const PeerWork& work) {
  if (work.mode == Mode::ecb) run_cryptopp_mode<CryptoPP::ECB_Mode>(work);
  if (work.mode == Mode::cbc) run_cryptopp_mode<CryptoPP::CBC_Mode>(work);
  if (work.mode == Mode::cfb64) run_cryptopp_mode<CryptoPP::CFB_Mode>(work);
  if (work.mode == Mode::ofb) run_cryptopp_mode<CryptoPP::OFB_Mode>(work);
  if (work.mode == Mode::ctr) run_cryptopp_mode<CryptoPP::CTR_Mode>(work);
  return true;
}
#endif

// Checked like every engine.
[[maybe_unused]] void measure(Bench& bench, const std::string& name, PeerRun run) {
  Bytes memory(kBytes);
  for (const Operation& operation : kOperations) {
    const Case c = bench.maker.make(operation, kBytes);
    const auto key = c.key.span();
    const PeerWork peer_work{operation.mode,
                             operation.direction == Direction::decrypt,
                             {reinterpret_cast<const unsigned char*>(key.data()), key.size()},
                             reinterpret_cast<const unsigned char*>(c.settings.iv->data()),
                             reinterpret_cast<unsigned char*>(memory.span().data()),
                             memory.size()};
    if (!run(peer_work)) continue;
    bench.sampler.take(c.row(Scope::kernel, name, 1, "host memory"),
                       host_trial(c, memory.span(), bench.pool, timed([&] { run(peer_work); })));
  }
}

}  // namespace

std::vector<BenchRow> peer_rows() {
  std::vector<BenchRow> rows;
  [[maybe_unused]] const auto add = [&](const std::string& name, PeerRun run) {
    rows.push_back({Scope::kernel, name, [=](Bench& bench) { measure(bench, name, run); }});
  };
#if defined(FUGU_HAVE_LIBGCRYPT)
  add(std::string("libgcrypt ") + gcry_check_version(nullptr), run_libgcrypt);
#endif
#if defined(FUGU_HAVE_BOTAN_2)
  add(std::string("botan ") + Botan::short_version_cstr(), run_botan);
#endif
#if defined(FUGU_HAVE_NETTLE)
  add(version("nettle", NETTLE_VERSION_MAJOR, NETTLE_VERSION_MINOR), run_nettle);
#endif
#if defined(FUGU_HAVE_LIBCRYPTO__)
  add(version("crypto++", CRYPTOPP_MAJOR, CRYPTOPP_MINOR), run_cryptopp);
#endif
  return rows;
}

}  // namespace fugu::bench
