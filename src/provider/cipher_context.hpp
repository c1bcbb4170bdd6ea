// One EVP_CIPHER_CTX of this provider: Blowfish with the behaviour of OpenSSL's legacy provider.
//
// All that a caller can observe (results, parameters, reasons of errors, the state after an error) follows
// providers/implementations/ciphers/ciphercommon.c of OpenSSL 3.0; tests/provider compares the two call by
// call. Differences: a key of 0 bytes, EVP_Cipher() of a partial block in ECB or CBC and a num of 8 or more
// are refused, where legacy reads out of bounds; output that overlaps input in any way is correct.
#pragma once

#include <cstddef>
#include <span>

#include "fugu/cipher/schedule.hpp"
#include "fugu/mode/buffered_chain.hpp"
#include "provider/core.hpp"

namespace fugu::provider {

using Octets = std::span<const unsigned char>;

inline constexpr std::size_t kUsualKeyBytes = 16;

// EVP's block size: 1 for modes that take any number of bytes.
constexpr std::size_t block_bytes(mode::Mode mode) {
  return mode == mode::Mode::ecb || mode == mode::Mode::cbc ? core::kBlockBytes : 1;
}
constexpr std::size_t iv_bytes(mode::Mode mode) {
  return mode == mode::Mode::ecb ? 0 : core::kBlockBytes;
}

class CipherContext {
 public:
  CipherContext(const Core& core, mode::Mode mode);

  // Each returns false with an error in the caller's queue. Null pointers in spans mean "not given".
  bool init(Octets key, Octets iv, const OSSL_PARAM* params, core::Direction direction);
  bool update(std::span<unsigned char> out, std::size_t& out_bytes, Octets in);
  bool finish(std::span<unsigned char> out, std::size_t& out_bytes);
  bool cipher(std::span<unsigned char> out, std::size_t& out_bytes, Octets in);
  bool get(OSSL_PARAM* params) const;
  bool set(const OSSL_PARAM* params);

  bool fail(int reason) const noexcept;

 private:
  mode::Mode mode() const noexcept { return chain_.chain().mode(); }
  bool set_iv(Octets iv);
  bool set_key(Octets key);
  bool set_padding(const OSSL_PARAM& param);
  bool set_num(const OSSL_PARAM& param);
  bool set_key_bytes(const OSSL_PARAM& param);

  const Core* core_;
  mode::BufferedChain chain_;
  cipher::Schedule schedule_{};
  mode::Iv original_iv_{};
  std::size_t key_bytes_ = kUsualKeyBytes;
  unsigned block_num_ = 0;  // "num" of ecb and cbc: stored without effect
  bool key_set_ = false;
  bool iv_set_ = false;
};

}  // namespace fugu::provider
