// Blowfish in a mode of operation, for callers with bytes in memory.
//
//   fugu::Cipher cipher(key, "cbc", iv, fugu::core::Direction::encrypt);
//   std::vector<std::byte> out(plaintext.size() + fugu::Cipher::kMaxExtraBytes);
//   std::size_t bytes = cipher.update(plaintext, out);
//   bytes += cipher.finish(std::span(out).subspan(bytes));
//
// No mode here authenticates: whoever can alter the ciphertext can alter the plaintext. fugu/format/sealed is
// for new data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fugu/cipher/schedule.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/export.hpp"
#include "fugu/mode/buffered_chain.hpp"

namespace fugu {

struct CipherOptions {
  mode::Padding padding = mode::Padding::pkcs7;    // only ecb, cbc and pcbc look at it
  core::ByteOrder words = core::ByteOrder::big;    // how a block's two words lie in memory
  core::ByteOrder counter = core::ByteOrder::big;  // ctr only
  std::uint64_t offset = 0;  // start at this byte of the data that `iv` begins: ctr; ecb between blocks
  engine::Engine* engine = nullptr;  // outlives the cipher; null: engine::local_engine(), the calling thread
};

// One message under one key. Copies go on independently from the same place; key and state are wiped when
// they die. Not for two threads at a time.
class FUGU_EXPORT Cipher {
 public:
  // What the output of a call may be longer by than its input.
  static constexpr std::size_t kMaxExtraBytes = core::kBlockBytes;

  // `key` is 1 to 72 bytes (the specification of Blowfish ends at 56). `mode` is a name of
  // mode::mode_names(). `iv` is 8 bytes, and empty for ecb. cbc and cfb decryption start at any block: with
  // the ciphertext block before it as IV. Throws Error{usage} for anything else.
  Cipher(std::span<const std::byte> key, std::string_view mode, std::span<const std::byte> iv,
         core::Direction direction, const CipherOptions& options = {});

  // How many bytes update() writes for `bytes` of input.
  std::size_t update_bytes(std::size_t bytes) const noexcept { return chain_.update_bytes(bytes); }

  // Takes any number of bytes and writes update_bytes(in.size()) to `out`, in place or elsewhere; returns how
  // many. Throws Error{usage} when they do not fit or after finish(): nothing is written then.
  std::size_t update(std::span<const std::byte> in, std::span<std::byte> out);

  // Ends the message: adds or removes the padding of ecb, cbc and pcbc. Writes up to 8 bytes and returns how
  // many; `out` has room for 8 then, and may be empty in the other modes. Throws Error{damaged} when the
  // ciphertext's length cannot be right, Error{wrong_key} when its padding is not, Error{usage} when data to
  // encrypt needs a padding and has none, `out` is too small, or after finish().
  std::size_t finish(std::span<std::byte> out);

  // What the next block chains to (ctr: the next counter block): a Cipher that starts with it goes on where
  // this one is, when the bytes so far are whole blocks.
  const mode::Iv& iv() const noexcept { return chain_.chain().iv(); }

 private:
  void check_open() const;

  engine::Engine* engine_;
  cipher::Schedule schedule_;
  mode::BufferedChain chain_;
  bool finished_ = false;
};

}  // namespace fugu
