// Modes of operation and padding over an engine.
//
// Data-parallel directions go to the engine; serial chains (CBC, CFB64, CFB8 and PCBC encryption, OFB) run on
// the calling thread, and no engine speeds them up. Chain (chain.hpp) is a mode's state without a key;
// fugu::Cipher (cipher.hpp) takes any number of bytes.
#pragma once

#include "fugu/mode/chain.hpp"

namespace fugu::mode {

// Bytes that process() may add to the last chunk.
inline constexpr std::size_t kMaxPaddingBytes = core::kBlockBytes;

// Passes a file's chunks through a mode, in place: a file of any size is one sequence of process() calls.
class FUGU_EXPORT CipherStream {
 public:
  // `engine` and `schedule` outlive the stream. Throws Error{usage} as Chain does.
  CipherStream(engine::Engine& engine, const cipher::Schedule& schedule, const Settings& settings,
               Direction direction);
  CipherStream(const CipherStream&) = delete;
  CipherStream& operator=(const CipherStream&) = delete;

  // Works in place on the first `size_bytes` of `buffer` and returns the size of the output there. Every
  // chunk but the last is a multiple of 8 bytes; the last may have any size, 0 included. On encryption
  // `buffer` has room for kMaxPaddingBytes more, with stolen ciphertext on decryption too. Padding is added
  // to and removed from the last chunk only; when padded data is decrypted, the last chunk is empty only if
  // all of the data is. Throws Error{damaged} when the total length is impossible for this mode,
  // Error{wrong_key} when the padding is not one that encryption writes, Error{usage} when data to encrypt
  // needs padding but none is set, and for any call after the last chunk.
  std::size_t process(std::span<std::byte> buffer, std::size_t size_bytes, bool last);

 private:
  void transform(std::span<std::byte> data);
  void transform_residual(std::span<std::byte> data);
  std::size_t encrypt_last(std::span<std::byte> buffer, std::size_t size_bytes);
  std::size_t decrypt_last(std::span<std::byte> data);
  std::size_t process_stealing(std::span<std::byte> buffer, std::size_t size_bytes, bool last);
  void steal(std::span<std::byte> data);

  engine::Engine& engine_;
  const cipher::Schedule& schedule_;
  ByteOrder words_;
  Padding padding_;
  Chain chain_;
  bool at_end_ = false;
  std::size_t held_bytes_ = 0;  // where ciphertext is stolen: the latest whole block, not processed yet
  Iv held_;
};

}  // namespace fugu::mode
