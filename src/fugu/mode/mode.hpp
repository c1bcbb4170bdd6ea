// Modes of operation and padding over an engine.
//
// Data-parallel directions go to the engine a chunk at a time; serial chains (CBC, CFB64 and CFB8 encryption, OFB)
// run here on the calling thread, and no engine speeds them up. A CipherStream carries the chain from one chunk to
// the next, so a file of any size is one sequence of process() calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fugu/cipher/schedule.hpp"
#include "fugu/core/block.hpp"
#include "fugu/engine/engine.hpp"

namespace fugu::mode {

using core::ByteOrder;
using core::Direction;

enum class Mode : std::uint8_t { ecb, cbc, cfb64, cfb8, ofb, ctr };

// pkcs7 adds 1 to 8 bytes (RFC 5652, 6.3); zero and space fill the last block only when it is not full; none wants
// whole blocks. Only ecb and cbc are padded.
enum class Padding : std::uint8_t { pkcs7, zero, space, none };

struct Settings {
  Mode mode = Mode::cbc;
  Padding padding = Padding::pkcs7;
  std::array<std::byte, core::kBlockBytes> iv{};  // memory image; ecb: unused; ctr: the first counter block
  ByteOrder words = ByteOrder::big;
  ByteOrder counter = ByteOrder::big;  // ctr only
};

// Whether blocks of one file must be worked on one after the other.
bool is_serial(Mode mode, Direction direction) noexcept;
bool is_padded(Mode mode) noexcept;

// What process() may add to the last chunk's size.
inline constexpr std::size_t kMaxPaddingBytes = core::kBlockBytes;

class CipherStream {
 public:
  // `engine` and `schedule` outlive the stream. Throws Error{usage} for settings that cannot be combined.
  CipherStream(engine::Engine& engine, const cipher::Schedule& schedule, const Settings& settings,
               Direction direction);
  ~CipherStream();

  // Works in place on the first `size_bytes` of `buffer` and returns how many bytes of output stand there now.
  // Every chunk but the last is a multiple of 8 bytes; the last may have any size, 0 included, and on encryption
  // `buffer` has room for kMaxPaddingBytes more. Padding is added to and taken from the last chunk only.
  // Throws Error{damaged} when the length of the whole cannot come from this mode, Error{wrong_key} when the
  // padding is not one that encryption writes.
  std::size_t process(std::span<std::byte> buffer, std::size_t size_bytes, bool last);

 private:
  engine::Engine& engine_;
  const cipher::Schedule& schedule_;
  Settings settings_;
  Direction direction_;
  std::uint64_t chain_;       // the block that the next block chains to, as a memory image
  std::uint64_t block_ = 0;   // position of the next block
};

}  // namespace fugu::mode
