// A subject of the CPU benchmark: a library's Blowfish, or one of our engines.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace fugu::bench {

enum class Work { ecb_encrypt, ecb_decrypt, cbc_encrypt, cbc_decrypt, cfb_encrypt, cfb_decrypt, ofb, ctr };
inline constexpr std::size_t kWorks = 8;

constexpr bool decrypts(Work work) {
  return work == Work::ecb_decrypt || work == Work::cbc_decrypt || work == Work::cfb_decrypt;
}

constexpr bool is_serial(Work work) {
  return work == Work::cbc_encrypt || work == Work::cfb_encrypt || work == Work::ofb;
}

// All subjects use the same key and IV: the outputs are compared before anything is timed.
struct Secrets {
  std::array<unsigned char, 16> key;
  std::array<unsigned char, 8> iv;
};

class Peer {
 public:
  virtual ~Peer() = default;

  virtual std::string name() const = 0;

  // Processes `data` in place, from the IV on; false if the library has no such mode. Key set-up is not
  // included.
  virtual bool run(Work work, std::span<unsigned char> data) = 0;
};

std::unique_ptr<Peer> openssl_peer(const Secrets& secrets);
// On every core, with the data distributed; false for the serial chains.
std::unique_ptr<Peer> parallel_openssl_peer(const Secrets& secrets);
std::unique_ptr<Peer> libgcrypt_peer(const Secrets& secrets);
std::unique_ptr<Peer> botan_2_peer(const Secrets& secrets);
std::unique_ptr<Peer> nettle_peer(const Secrets& secrets);
std::unique_ptr<Peer> cryptopp_peer(const Secrets& secrets);

}  // namespace fugu::bench
