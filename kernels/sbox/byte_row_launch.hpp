// Launchers of the rows of row_launch.hpp for boxes whose rows fit bytes after the first stages of the
// transform. They need compute capability 9.0.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/core/hd.hpp"
#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::kernels {

// Returns whether these launchers take boxes of this shape: 16 to 20 outputs, so that rows of most boxes fit
// bytes after the first stages.
constexpr bool has_byte_rows(int inputs, int outputs) {
  return outputs >= 16 && outputs <= 20 && inputs <= outputs && inputs >= outputs - 7;
}

// A row has 2^(outputs - 2) words. The kTileBits lowest bits of b are the index of a column in its tile, the
// other bits the index of the tile. The stages over the 8 lowest bits of the tile's index are two products
// with Hadamard matrices; the kDeep stages over the higher bits come before them.
template <int outputs>
struct ByteLayout {
  static constexpr int kTileBits = outputs == 16 ? 8 : 9;
  static constexpr int kWordBits = kTileBits - 6;  // the bits that index the words of a lane
  static constexpr int kDeep = outputs - kTileBits - 8;
  static constexpr int kShallow = 3 - kDeep;  // bits of a column in its tile, used if kDeep is less than 3
  static constexpr std::uint32_t kGroups = std::uint32_t{1} << (outputs - 14);
};
inline constexpr std::uint32_t kByteGroupWords = 1 << 12;
inline constexpr unsigned kByteColumnThreads = 256;
inline constexpr std::size_t kMostByteRowBytes = 225 << 10;  // of shared memory per block

// Returns the column b whose results ByteColumns writes at index `place`.
template <int outputs>
FUGU_HD constexpr std::uint32_t byte_column(std::uint32_t place) {
  using Layout = ByteLayout<outputs>;
  constexpr int kAbove = Layout::kTileBits - 5;  // the lowest bit of b, besides bit 2, that selects the lane
  const std::uint32_t lane = place & 31, i = place >> 5 & 3, n = place >> 7 & 1, c = place >> 8 & 7;
  const std::uint32_t warp = place >> 11 & 7, group = place >> 14;
  const std::uint32_t rest = group << Layout::kShallow | (c & ((1u << Layout::kShallow) - 1));
  const std::uint32_t word = rest & ((1u << Layout::kWordBits) - 1), above = rest >> Layout::kWordBits;
  const std::uint32_t low =
      (word & 3) | (warp & 1) << 2 | word >> 2 << 3 | warp >> 1 << kAbove | above << (kAbove + 2);
  const std::uint32_t tile = (lane >> 2 & 1) | i >> 1 << 1 | lane >> 3 << 2 | (i & 1) << 4 | (lane & 3) << 5 |
                             n << 7 | c >> Layout::kShallow << 8;
  return tile << Layout::kTileBits | low;
}

// Counts the pairs of the rows a, first <= a < last, a != 0, and computes the first stages of the transforms.
//   values   16-bit for 16 outputs, 32-bit for more
//   bytes    consecutive rows, each in the order of byte_place() (kernels/sbox/byte_row_agent.hpp)
//   counts   16 counters of the entries delta != 0, indexed by delta / 2
//   inexact  set to 1 when a value exceeds a byte or a counter overflows
// `largest_zero` and `lightest` are those of DifferenceRows.
template <class Value>
struct ByteRows {
  int inputs;
  int outputs;
  const Value* values;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t* bytes;
  std::uint64_t* counts;
  std::uint32_t* largest_zero;
  std::uint32_t* lightest;
  std::uint32_t* inexact;
};
int launch_byte_rows(const ByteRows<std::uint16_t>& rows, CUstream_st* stream);
int launch_byte_rows(const ByteRows<std::uint32_t>& rows, CUstream_st* stream);

// Computes the remaining stages, max |r| / 2 (`largest`) and the sum of (r / 2)^2 (`sums`) per column, in the
// order of byte_column(). r(a,0) has been subtracted: column 0 is 0 unless a counter has overflowed.
//   each      the number of rows per block
//   odd       the xor of all S(x). For every a, r(a,b) / 4 has the parity of its inner product with b, which
//             is that of the number of pairs {x, x + a} on which component b takes two values.
//   lightest  min wt(a) over r(a,b) != 0
//   inexact   set to 1 when a sum exceeds its range
struct ByteColumns {
  int outputs;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t each;
  std::uint32_t odd;
  const std::uint32_t* bytes;
  std::uint32_t* largest;
  std::uint64_t* sums;
  std::uint32_t* lightest;
  std::uint32_t* inexact;
};
int launch_byte_columns(const ByteColumns& columns, CUstream_st* stream);

// Reorders the results of ByteColumns from the order of byte_column() to the order of b.
struct ByteOrder {
  int outputs;
  const std::uint32_t* largest_by_place;
  const std::uint64_t* sums_by_place;
  std::uint32_t* largest;
  std::uint64_t* sums;
};
int launch_byte_order(const ByteOrder& all, CUstream_st* stream);

// Xors all `count` values into *sum.
struct ValueSum {
  const std::uint32_t* values;
  std::uint32_t count;
  std::uint32_t* sum;
};
int launch_value_sum(const ValueSum& all, CUstream_st* stream);

}  // namespace fugu::kernels
