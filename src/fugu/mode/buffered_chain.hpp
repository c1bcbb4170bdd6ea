// A Chain that accepts any number of bytes and holds back incomplete blocks.
#pragma once

#include "fugu/mode/chain.hpp"

namespace fugu::mode {

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
