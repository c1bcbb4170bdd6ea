// Launchers of the rows of row_launch.hpp for boxes whose rows have few pairs per entry.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/core/hd.hpp"
#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::kernels {

// Returns whether these launchers take boxes of this shape: at least 6 inputs and 17 to 20 outputs, so that
// few pairs share an entry in the rows of most boxes.
constexpr bool is_sparse(int inputs, int outputs) {
  return inputs >= 6 && outputs > kMostBlockBits && inputs <= outputs + 1;
}
inline constexpr std::uint32_t kMostSparsePairs = 32;
constexpr std::size_t sparse_plane_bytes(int outputs) {
  return (std::size_t{1} << (outputs - 3)) + kMostSparsePairs * sizeof(std::uint32_t);
}

// Computes the results of DifferenceRows for the rows a, first <= a < last, a != 0.
//   lists    workspace: max(2^(inputs - 1), 1024) words for each of at most `blocks` blocks
//   crowded  set to 1 when an entry has more than kMostSparsePairs pairs: all results are then invalid
struct SparseDifferences {
  int inputs;
  int outputs;
  const std::uint32_t* values;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t blocks;
  std::uint32_t* lists;
  std::uint64_t* counts;
  std::uint32_t* largest_zero;
  std::uint32_t* lightest;
  std::uint32_t* crowded;
};
int launch_sparse_differences(const SparseDifferences& rows, CUstream_st* stream);

// Writes the rows a, first <= a < last, a != 0, as four-bit counters of pairs
// (kernels/sbox/sparse_row_agent.hpp), consecutive rows of 2^(outputs - 3) words. `largest_zero` and
// `lightest` are those of DifferenceRows.
struct SparseRows {
  int inputs;
  int outputs;
  const std::uint32_t* values;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t* nibbles;
  std::uint32_t* largest_zero;
  std::uint32_t* lightest;
};
int launch_sparse_rows(const SparseRows& rows, CUstream_st* stream);

// Computes the first stages of the transforms of `rows` rows that SparseRows wrote.
//   halves  two 16-bit values per word, consecutive rows of 2^(outputs - 1) words
//   counts  16 counters of the entries delta != 0, indexed by delta / 2
struct SparseTransform {
  int outputs;
  std::uint32_t rows;
  const std::uint32_t* nibbles;
  std::uint32_t* halves;
  std::uint64_t* counts;
};
int launch_sparse_transform(const SparseTransform& transform, CUstream_st* stream);

// The values between the two passes, and the results by column, are in the order in which blocks and threads
// read and write them.
inline constexpr int kSparseTileBits = 11;  // the lowest bits of b, whose stages the first pass computes
inline constexpr unsigned kSparseThreads = 256;
FUGU_HD constexpr std::uint32_t sparse_group_words(int high_bits) {
  return std::uint32_t{1} << (12 - high_bits);
}
// Returns the kSparseTileBits lowest bits of b of the low (high = 0) or high value of a tile's word.
constexpr std::uint32_t sparse_low_bits(std::uint32_t word, std::uint32_t high) {
  const std::uint32_t lane = word % 32;
  return (lane & 3) | high << 2 | (lane & 12) << 1 | word / 32 << 5 | (lane & 16) << 6;
}

// Returns the column b whose results SparseColumns writes at index `place`.
constexpr std::uint32_t sparse_column(std::uint32_t place, int outputs) {
  const std::uint32_t each = sparse_group_words(outputs - kSparseTileBits);
  const std::uint32_t thread = place % kSparseThreads, i = place / kSparseThreads % 32;
  const std::uint32_t group = place / kSparseThreads / 32;
  const std::uint32_t tile = thread / (2 * each) << 5 | i;
  return tile << kSparseTileBits | sparse_low_bits(group * each + thread % each, thread / each % 2);
}

// Computes the remaining stages and the results of WideColumns, in the order of sparse_column(). If a
// four-bit counter has overflowed, structures[0] grows by less than the number of rows.
struct SparseColumns {
  int outputs;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t whole;  // 2^(inputs - 1)
  const std::uint32_t* halves;
  std::uint32_t* largest;
  std::uint64_t* sums;
  std::uint32_t* structures;
  std::uint32_t* lightest;
};
int launch_sparse_columns(const SparseColumns& columns, CUstream_st* stream);

}  // namespace fugu::kernels
