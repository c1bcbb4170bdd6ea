// Modes of operation and padding over an engine.
//
// Data-parallel directions go to the engine a chunk at a time; serial chains (CBC, CFB64, CFB8 and PCBC
// encryption, OFB) run here on the calling thread, and no engine speeds them up. A CipherStream carries the
// chain from one chunk to the next, so a file of any size is one sequence of process() calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/cipher/schedule.hpp"
#include "fugu/core/block.hpp"
#include "fugu/engine/engine.hpp"

namespace fugu::mode {

using core::ByteOrder;
using core::Direction;

// NIST SP 800-38A names all but the last two; ofb and cfb64 feed back whole blocks, cfb8 and ofb8 single
// bytes. pcbc chains each block to the plaintext and the ciphertext of the one before, as Kerberos 4 did.
enum class Mode : std::uint8_t { ecb, cbc, cfb64, cfb8, ofb, ctr, ofb8, pcbc };

// pkcs7 adds 1 to 8 bytes (RFC 5652, 6.3); zero and space fill the last block only when it is not full; none
// wants whole blocks. Only ecb, cbc and pcbc are padded. Taking zero or space padding off removes at most 7
// bytes, but also those that belonged to the data.
enum class Padding : std::uint8_t { pkcs7, zero, space, none };

struct Settings {
  Mode mode = Mode::cbc;
  Padding padding = Padding::pkcs7;               // only ecb, cbc and pcbc look at it
  std::array<std::byte, core::kBlockBytes> iv{};  // memory image; ecb: unused; ctr: the first counter block
  ByteOrder words = ByteOrder::big;
  ByteOrder counter = ByteOrder::big;  // ctr only
};

// Whether blocks of one file must be worked on one after the other.
bool is_serial(Mode mode, Direction direction) noexcept;
bool is_padded(Mode mode) noexcept;

// Bytes that process() may add to the last chunk.
inline constexpr std::size_t kMaxPaddingBytes = core::kBlockBytes;

class CipherStream {
 public:
  // `engine` and `schedule` outlive the stream. Throws Error{usage} for settings that cannot be combined: a
  // little-endian counter outside ctr.
  CipherStream(engine::Engine& engine, const cipher::Schedule& schedule, const Settings& settings,
               Direction direction);
  CipherStream(const CipherStream&) = delete;
  CipherStream& operator=(const CipherStream&) = delete;
  ~CipherStream();

  // Works in place on the first `size_bytes` of `buffer` and returns how many bytes of output stand there
  // now. Every chunk but the last is a multiple of 8 bytes; the last may have any size, 0 included, and on
  // encryption `buffer` has room for kMaxPaddingBytes more. Padding is added to and taken from the last chunk
  // only: when padded data is decrypted the last chunk is empty only if all of it is. Throws Error{damaged}
  // when the length of the whole cannot come from this mode, Error{wrong_key} when the padding is not one
  // that encryption writes, Error{usage} when data to encrypt needs a padding and gets none.
  std::size_t process(std::span<std::byte> buffer, std::size_t size_bytes, bool last);

 private:
  void transform(std::span<std::byte> data);
  void transform_blocks(std::span<std::byte> blocks);
  void transform_partial_block(std::span<std::byte> bytes);
  void decrypt_chained(engine::Op op, std::span<std::byte> blocks);
  void decrypt_cfb8(std::span<std::byte> bytes);
  void decrypt_pcbc(std::span<std::byte> blocks);
  std::size_t scratch_bytes_for(std::size_t bytes);
  void run(engine::Op op, std::span<std::byte> blocks);

  engine::Engine& engine_;
  const cipher::Schedule& schedule_;
  Settings settings_;
  Direction direction_;
  std::uint64_t chain_;  // memory image of the block that the next one chains to; ctr: the counter of block 0
  std::uint64_t block_ = 0;  // ctr: position of the next block
  engine::Chunk windows_;    // cfb8 decryption: the shift register as it stood before each byte; pcbc: copies
};

}  // namespace fugu::mode
