// A Blowfish block in registers and in memory.
//
// A block is 8 bytes: the left word, then the right word. Published Blowfish stores words big-endian; Vim and
// "blowfish-compat" store them little-endian. Only load and store know the order: the cipher never sees it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/core/hd.hpp"

namespace fugu::core {

inline constexpr std::size_t kBlockBytes = 8;

enum class ByteOrder : std::uint8_t { big, little };

struct Block {
  std::uint32_t left;
  std::uint32_t right;

  friend constexpr bool operator==(const Block&, const Block&) = default;
};

FUGU_HD constexpr std::uint32_t byte_swap(std::uint32_t x) {
  return (x >> 24) | ((x >> 8) & 0x0000ff00u) | ((x << 8) & 0x00ff0000u) | (x << 24);
}

FUGU_HD constexpr std::uint64_t byte_swap(std::uint64_t x) {
  return (static_cast<std::uint64_t>(byte_swap(static_cast<std::uint32_t>(x))) << 32) |
         byte_swap(static_cast<std::uint32_t>(x >> 32));
}

// Loads the 8 bytes of a block, first byte most significant.
FUGU_HD std::uint64_t load_u64_big(const std::byte* from) {
  std::uint64_t x = 0;
  for (int i = 0; i < 8; ++i) x = (x << 8) | static_cast<std::uint64_t>(from[i]);
  return x;
}

FUGU_HD void store_u64_big(std::byte* to, std::uint64_t x) {
  for (int i = 0; i < 8; ++i) to[i] = static_cast<std::byte>(x >> (56 - 8 * i));
}

// `bytes` holds a block's memory image, first byte most significant (load_u64_big).
template <ByteOrder words>
FUGU_HD constexpr Block to_block(std::uint64_t bytes) {
  Block b{static_cast<std::uint32_t>(bytes >> 32), static_cast<std::uint32_t>(bytes)};
  if constexpr (words == ByteOrder::little) b = {byte_swap(b.left), byte_swap(b.right)};
  return b;
}

template <ByteOrder words>
FUGU_HD constexpr std::uint64_t from_block(Block b) {
  if constexpr (words == ByteOrder::little) b = {byte_swap(b.left), byte_swap(b.right)};
  return (static_cast<std::uint64_t>(b.left) << 32) | b.right;
}

// The memory image of counter block `value`: the counter is one 64-bit number in the given byte order.
FUGU_HD constexpr std::uint64_t counter_bytes(std::uint64_t value, ByteOrder order) {
  return order == ByteOrder::big ? value : byte_swap(value);
}

// The data-parallel operations on whole blocks, which engines and kernels implement.
enum class Op : std::uint8_t { ecb_encrypt, ecb_decrypt, ctr, cbc_decrypt, cfb_decrypt };

}  // namespace fugu::core
