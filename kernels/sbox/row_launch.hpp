// Launchers of the rows of the difference distribution table and of the autocorrelation table of boxes of at
// most kMostBlockBits inputs and outputs.
#pragma once

#include <cstdint>

#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::kernels {

// Computes the rows a of the difference distribution table, first <= a < last, a != 0.
//   inputs, outputs  at most kMostBlockBits
//   values           S(x) for the 2^inputs points x
//   counts           2^(inputs - 1) + 1 counters of the entries delta != 0, indexed by delta / 2
//   largest_zero     max delta(a,0)
//   lightest         min wt(a) + wt(b) over delta(a,b) > 0
struct DifferenceRows {
  int inputs;
  int outputs;
  const std::uint16_t* values;
  std::uint32_t first;
  std::uint32_t last;
  std::uint64_t* counts;
  std::uint32_t* largest_zero;
  std::uint32_t* lightest;
};
int launch_difference_rows(const DifferenceRows& rows, CUstream_st* stream);

// Computes the rows of the autocorrelation table: the rows of DifferenceRows, transformed over b. Updates the
// results of `rows`, too.
//   magnitudes   |r(a,b)| / 2, two per word: consecutive rows of 2^block_bits(outputs) values, from a = first
//                on, each in the order of stored_column()
//   lightest     min wt(a) over r(a,b) != 0, b != 0
struct AutocorrelationRows {
  DifferenceRows rows;
  std::uint32_t* magnitudes;
  std::uint32_t* lightest;
};
int launch_autocorrelation_rows(const AutocorrelationRows& rows, CUstream_st* stream);

// Summarises the columns b of `rows` rows that AutocorrelationRows wrote; bits = block_bits(outputs). Results
// are indexed by b: largest is max |r| / 2, sums is the sum of (r / 2)^2, structures the number of rows with
// |r| = 2^inputs.
struct AutocorrelationColumns {
  int bits;
  std::uint32_t rows;
  std::uint32_t whole;  // 2^(inputs - 1)
  const std::uint32_t* magnitudes;
  std::uint32_t* largest;
  std::uint64_t* sums;
  std::uint32_t* structures;
};
int launch_autocorrelation_columns(const AutocorrelationColumns& columns, CUstream_st* stream);

}  // namespace fugu::kernels
