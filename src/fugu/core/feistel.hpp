// The Blowfish rounds (B. Schneier, "Description of a New Variable-Length Key, 64-Bit Block Cipher", FSE
// 1993): the only copy in the project.
//
// Everything is templated on a table accessor, so that the scalar engine, the byte-sliced vector engine and
// the CUDA kernels run the same lines. An accessor offers
//   using Word                                   32-bit words: uint32_t, or many of them side by side;
//   Word sbox<i>(const Word& x)                  S_i[byte i of x], byte 0 the most significant;
//   void mix_subkey(Word& x, int i)              x ^= P_i.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/core/hd.hpp"

namespace fugu::core {

inline constexpr int kRounds = 16;
inline constexpr int kSubkeys = kRounds + 2;
inline constexpr int kSboxes = 4;
inline constexpr int kSboxEntries = 256;

enum class Direction : std::uint8_t { encrypt, decrypt };

// The index of subkey i: decryption is encryption with the P-array reversed.
template <Direction direction>
FUGU_HD constexpr int subkey_index(int i) {
  return direction == Direction::encrypt ? i : kSubkeys - 1 - i;
}

template <class Tables>
FUGU_HD typename Tables::Word feistel_f(const Tables& tables, const typename Tables::Word& x) {
  return ((tables.template sbox<0>(x) + tables.template sbox<1>(x)) ^ tables.template sbox<2>(x)) +
         tables.template sbox<3>(x);
}

// One round; x is the half that is looked up. The halves swap by swapping arguments. The next round's subkey
// is mixed in here, next to the other exclusive or, so that one instruction can do both.
template <Direction direction, class Tables>
FUGU_HD void one_round(const Tables& tables, int next_round, const typename Tables::Word& x,
                       typename Tables::Word& y) {
  y ^= feistel_f(tables, x);
  tables.mix_subkey(y, subkey_index<direction>(next_round));
}

// Runs `lanes` independent blocks round by round: their overlapping look-ups give a table-driven cipher its
// speed. On return left[] and right[] hold the output halves in output order.
template <Direction direction, std::size_t lanes, class Tables>
FUGU_HD void run_blocks(const Tables& tables, typename Tables::Word (&left)[lanes],
                        typename Tables::Word (&right)[lanes]) {
  FUGU_UNROLL
  for (std::size_t lane = 0; lane < lanes; ++lane) tables.mix_subkey(left[lane], subkey_index<direction>(0));
  for (int round = 1; round <= kRounds; round += 2) {
    FUGU_UNROLL
    for (std::size_t lane = 0; lane < lanes; ++lane)
      one_round<direction>(tables, round, left[lane], right[lane]);
    FUGU_UNROLL
    for (std::size_t lane = 0; lane < lanes; ++lane)
      one_round<direction>(tables, round + 1, right[lane], left[lane]);
  }
  FUGU_UNROLL
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    tables.mix_subkey(right[lane], subkey_index<direction>(kRounds + 1));
    typename Tables::Word swapped = left[lane];
    left[lane] = right[lane];
    right[lane] = swapped;
  }
}

}  // namespace fugu::core
