// Blowfish in a mode of operation, for callers with bytes in memory.
//
//   fugu::Cipher cipher(key, "cbc", iv, fugu::core::Direction::encrypt);
//   std::vector<std::byte> out(plaintext.size() + fugu::Cipher::kMaxExtraBytes);
//   std::size_t bytes = cipher.update(plaintext, out);
//   bytes += cipher.finish(std::span(out).subspan(bytes));
//
// No mode here authenticates: anyone who can alter the ciphertext can alter the plaintext. Use
// fugu/format/sealed for new data.
#pragma once

#include "fugu/mode/chain.hpp"

namespace fugu {

struct CipherOptions {
  mode::Padding padding = mode::Padding::pkcs7;    // only for ecb, cbc and pcbc
  core::ByteOrder words = core::ByteOrder::big;    // how a block's two words lie in memory
  core::ByteOrder counter = core::ByteOrder::big;  // ctr only
  std::uint64_t offset = 0;  // start at this byte of the data that `iv` begins: ctr; ecb between blocks
  engine::Engine* engine = nullptr;  // outlives the cipher; null: engine::local_engine(), the calling thread
};

// One message under one key. A copy continues independently from the same position; key and state are wiped
// on destruction. Not thread-safe.
class FUGU_EXPORT Cipher {
 public:
  // The most that a call's output may exceed its input by.
  static constexpr std::size_t kMaxExtraBytes = core::kBlockBytes;

  // `key` has 1 to 72 bytes (Blowfish's specification allows 56). `mode` is a name in
  // mode::kModeNames. `iv` has 8 bytes, or none for ecb. Decryption of cbc and cfb may start at any block,
  // with the preceding ciphertext block as IV. Throws Error{usage} for anything else.
  Cipher(std::span<const std::byte> key, std::string_view mode, std::span<const std::byte> iv,
         core::Direction direction, const CipherOptions& options = {});

  // The number of bytes that update() writes for `bytes` of input.
  std::size_t update_bytes(std::size_t bytes) const noexcept { return chain_.update_bytes(bytes); }

  // Takes any number of bytes and writes update_bytes(in.size()) to `out`, in place or elsewhere; returns the
  // number. Throws Error{usage} when they do not fit or after finish(); nothing is written then.
  std::size_t update(std::span<const std::byte> in, std::span<std::byte> out);

  // Ends the message: adds or removes the padding of ecb, cbc and pcbc. Writes up to 8 bytes and returns the
  // number; `out` must have room for 8 in these modes and may be empty in the others. Throws Error{damaged}
  // when the ciphertext's length is impossible, Error{wrong_key} when its padding is wrong, Error{usage} when
  // data to encrypt needs padding but none is set, when `out` is too small, or after finish().
  std::size_t finish(std::span<std::byte> out);

  // The chaining value of the next block (ctr: the next counter block). After whole blocks, a Cipher that
  // starts with it continues where this one is.
  const mode::Iv& iv() const noexcept { return chain_.chain().iv(); }

 private:
  void check_open() const;

  engine::Engine* engine_;
  cipher::Schedule schedule_;
  mode::BufferedChain chain_;
  bool finished_ = false;
};

}  // namespace fugu
