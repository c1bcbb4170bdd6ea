// scryptROMix and its parts (RFC 7914, 3 to 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/auth/detail/derivation.hpp"

namespace fugu::auth {

inline constexpr std::size_t kSalsaBytes = 64;

// Four words of a block, as the compilers' vector extension, which every architecture supports.
using SalsaRow [[gnu::vector_size(16)]] = std::uint32_t;

// A block's 16 words by diagonals: place i, of row i / 4, holds word 5 i mod 16. A quarter round of Salsa20
// is then the same for all four lanes of whole rows.
struct SalsaBlock {
  SalsaRow rows[4];
};

inline constexpr std::size_t salsa_word(std::size_t place) {
  return 5 * place % 16;
}

inline SalsaBlock operator^(const SalsaBlock& a, const SalsaBlock& b) {
  return {{a.rows[0] ^ b.rows[0], a.rows[1] ^ b.rows[1], a.rows[2] ^ b.rows[2], a.rows[3] ^ b.rows[3]}};
}

// Bytes hold the words in little-endian order.
inline SalsaBlock load_salsa(std::span<const std::byte, kSalsaBytes> bytes) {
  SalsaBlock block;
  for (std::size_t place = 0; place < 16; ++place) {
    const auto at = bytes.subspan(4 * salsa_word(place), 4);
    block.rows[place / 4][place % 4] =
        std::to_integer<std::uint32_t>(at[0]) | std::to_integer<std::uint32_t>(at[1]) << 8 |
        std::to_integer<std::uint32_t>(at[2]) << 16 | std::to_integer<std::uint32_t>(at[3]) << 24;
  }
  return block;
}

inline void store_salsa(const SalsaBlock& block, std::span<std::byte, kSalsaBytes> bytes) {
  for (std::size_t place = 0; place < 16; ++place) {
    const std::uint32_t word = block.rows[place / 4][place % 4];
    for (std::size_t i = 0; i < 4; ++i)
      bytes[4 * salsa_word(place) + i] = static_cast<std::byte>(word >> (8 * i));
  }
}

inline void xor_rotated_sum(SalsaRow& row, const SalsaRow& a, const SalsaRow& b, int bits) {
  const SalsaRow sum = a + b;
  row ^= (sum << bits) | (sum >> (32 - bits));
}

inline void salsa_quarter_rounds(SalsaRow& a, SalsaRow& b, SalsaRow& c, SalsaRow& d) {
  xor_rotated_sum(b, a, d, 7);
  xor_rotated_sum(c, b, a, 9);
  xor_rotated_sum(d, c, b, 13);
  xor_rotated_sum(a, d, c, 18);
}

// Salsa20/8: four double rounds, each a column round and a row round.
inline SalsaBlock salsa20_8(const SalsaBlock& in) {
  SalsaBlock x = in;
  auto& [a, b, c, d] = x.rows;
  for (int pair = 0; pair < 4; ++pair) {
    salsa_quarter_rounds(a, b, c, d);
    b = __builtin_shufflevector(b, b, 3, 0, 1, 2);
    c = __builtin_shufflevector(c, c, 2, 3, 0, 1);
    d = __builtin_shufflevector(d, d, 1, 2, 3, 0);
    salsa_quarter_rounds(a, d, c, b);
    b = __builtin_shufflevector(b, b, 1, 2, 3, 0);
    c = __builtin_shufflevector(c, c, 2, 3, 0, 1);
    d = __builtin_shufflevector(d, d, 3, 0, 1, 2);
  }
  return {{in.rows[0] + a, in.rows[1] + b, in.rows[2] + c, in.rows[3] + d}};
}

// scryptBlockMix of the 2 r blocks input(0), input(1), ..., none of which may lie in `out`. Throws
// Error{interrupted} (see StoppableDerivations).
template <class Input>
void block_mix(const Input& input, std::span<SalsaBlock> out) {
  constexpr std::size_t kBetweenLooks = 4096;  // below a millisecond
  const std::size_t r = out.size() / 2;
  SalsaBlock x = input(2 * r - 1);
  for (std::size_t i = 0; i < r; ++i) {
    if (i % kBetweenLooks == 0) throw_if_stopped();
    out[i] = x = salsa20_8(x ^ input(2 * i));
    out[r + i] = x = salsa20_8(x ^ input(2 * i + 1));
  }
}

// The first 8 bytes of a block as a little-endian number.
inline std::uint64_t integerify(const SalsaBlock& last) {
  static_assert(salsa_word(0) == 0 && salsa_word(13) == 1);
  return last.rows[0][0] | std::uint64_t{last.rows[3][1]} << 32;
}

// scryptROMix of a lane of 128 r bytes, in `memory` of n + 2 lanes; n is a power of two, at least 2. Throws
// Error{interrupted} (see StoppableDerivations).
void ro_mix(std::span<std::byte> lane, std::uint64_t n, std::span<SalsaBlock> memory);

}  // namespace fugu::auth
