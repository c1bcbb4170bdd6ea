// The state of a mode of operation between two calls: what the next byte depends on, except the key.
#pragma once

#include "fugu/cipher/schedule.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/mode/settings.hpp"

namespace fugu::mode {

// Memory that holds nothing between two calls: a copy starts empty.
class FUGU_EXPORT Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) noexcept {}
  Scratch& operator=(const Scratch&) noexcept { return *this; }

  // `bytes`, or as much as is processed at a time; its contents are arbitrary.
  std::span<std::byte> of(engine::Engine& engine, std::size_t bytes);

 private:
  engine::Chunk chunk_;
};

class FUGU_EXPORT Chain {
 public:
  // Throws Error{usage} for settings that cannot be combined: no IV for a mode that needs one, a
  // little-endian counter outside ctr.
  Chain(const Settings& settings, Direction direction);

  Mode mode() const noexcept { return mode_; }
  Direction direction() const noexcept { return direction_; }

  // Writes in.size() bytes to `out`, which is `in` or disjoint from it. ecb, cbc and pcbc take whole blocks,
  // the others any number of bytes. Throws Error{usage} otherwise.
  void transform(engine::Engine& engine, const cipher::Schedule& schedule, std::span<const std::byte> in,
                 std::byte* out);

  // The chaining value of the next block; ctr: the next counter block. Within a block of cfb64 or ofb (used()
  // is not 0) its first used() bytes are consumed and the others are the keystream that follows. Meaningless
  // for ecb.
  const Iv& iv() const noexcept { return iv_; }

  // ctr, cfb64, ofb: the consumed bytes of a keystream block, 0 to 7. Always 0 in the other modes.
  unsigned used() const noexcept { return used_; }

  // `used`: of cfb64 and ofb, as used() and iv() say.
  void restart(const Iv& iv, Direction direction, unsigned used = 0) noexcept;

  // Continues at byte `offset` of the data whose first block the IV is for. Throws Error{usage} unless the
  // mode is ctr, or ecb between blocks.
  void seek(std::uint64_t offset);

 private:
  void transform_blocks(engine::Engine& engine, const cipher::Schedule& schedule,
                        std::span<const std::byte> blocks, std::byte* out);
  void transform_within_block(const cipher::Schedule& schedule, std::span<const std::byte> in,
                              std::byte* out);
  void decrypt_cfb8(engine::Engine& engine, const cipher::Schedule& schedule, std::span<const std::byte> in,
                    std::byte* out);
  void decrypt_pcbc(engine::Engine& engine, const cipher::Schedule& schedule,
                    std::span<const std::byte> blocks, std::byte* out);
  void run(engine::Engine& engine, engine::Op op, const cipher::Schedule& schedule,
           std::span<const std::byte> in, std::byte* out);
  std::uint64_t image() const noexcept { return core::load_u64_big(iv_.data()); }
  std::uint64_t counter() const noexcept { return core::counter_bytes(image(), counter_order_); }
  void set_counter(std::uint64_t counter) noexcept {
    core::store_u64_big(iv_.data(), core::counter_bytes(counter, counter_order_));
  }

  Mode mode_;
  Direction direction_;
  ByteOrder words_;
  ByteOrder counter_order_;
  unsigned used_ = 0;
  Iv iv_;
  Scratch scratch_;  // cfb8 decryption: the shift register as it stood before each byte; pcbc: copies
};

// A Chain that accepts any number of bytes and holds back incomplete blocks.
class FUGU_EXPORT BufferedChain {
 public:
  // Throws Error{usage} as Chain does.
  BufferedChain(const Settings& settings, Direction direction);
  BufferedChain(const BufferedChain&) = default;
  BufferedChain& operator=(const BufferedChain&) = default;
  ~BufferedChain();

  Chain& chain() noexcept { return chain_; }
  const Chain& chain() const noexcept { return chain_; }

  // When padded data is decrypted, a whole block is held back, since it may be the last.
  Padding padding() const noexcept { return padding_; }
  void set_padding(Padding padding) noexcept { padding_ = padding; }

  void restart(const Iv& iv, Direction direction) noexcept;

  // The number of bytes that update() writes for `bytes` of input: at most 8 more.
  std::size_t update_bytes(std::size_t bytes) const noexcept;

  // Writes update_bytes(in.size()) bytes to `out`, which may overlap `in` in any way, and returns the number.
  std::size_t update(engine::Engine& engine, const cipher::Schedule& schedule, std::span<const std::byte> in,
                     std::byte* out);

  // Ends the data: writes at most one block to `out` and returns its size. Throws Error{damaged},
  // Error{wrong_key} and Error{usage} as CipherStream::process() does for its last chunk; the held bytes are
  // kept then.
  std::size_t finish(engine::Engine& engine, const cipher::Schedule& schedule, std::byte* out);

 private:
  std::size_t update_blocks(engine::Engine& engine, const cipher::Schedule& schedule,
                            std::span<const std::byte> in, std::byte* out);
  void transform(engine::Engine& engine, const cipher::Schedule& schedule, std::span<const std::byte> in,
                 std::byte* out);
  void hold(std::span<const std::byte> in) noexcept;

  Chain chain_;
  Padding padding_;
  std::size_t held_bytes_ = 0;
  std::array<std::byte, core::kBlockBytes> held_{};
};

}  // namespace fugu::mode
