// Launchers for boxes of more than kMostBlockBits inputs or outputs, at most 20 of each.
#pragma once

#include <cstdint>

#include "kernels/sbox/component_launch.hpp"
#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::kernels {

// Writes the truth tables of the components b, first <= b < first + count, `words` words each, in order of b.
//   coordinates  as BoxCoordinates writes them
struct WideComponents {
  int outputs;
  std::uint32_t words;
  const std::uint32_t* coordinates;
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t* out;
};
int launch_wide_components(const WideComponents& components, CUstream_st* stream);

// Computes the spectra of the components b, first <= b < first + count, of any box of 17 to 20 inputs.
//   narrow    the components' values after launch_boolean_first(), in order of b
//   findings  one per component, indexed by b - first
//   counts    2^inputs + 1 counters, indexed by W / 2 + 2^(inputs - 1); W = 0 and b = 0 are counted, too
struct WideSpectra {
  int inputs;
  const std::int16_t* narrow;
  std::uint32_t first;
  std::uint32_t count;
  WideFindings* findings;
  std::uint64_t* counts;
};
int launch_wide_spectra(const WideSpectra& spectra, CUstream_st* stream);

// Writes the rows a of the difference distribution table, first <= a < last, a != 0, to device memory.
//   pairs   delta(a,b) / 2, consecutive rows of 2^outputs values. Above kMostSharedOutputs outputs the values
//           are added to, so the caller clears them.
inline constexpr int kMostSharedOutputs = 14;
struct WideRows {
  int inputs;
  int outputs;
  const std::uint32_t* values;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t* pairs;
};
int launch_wide_rows(const WideRows& rows, CUstream_st* stream);

// Computes the results of DifferenceRows from the rows that WideRows wrote, and sets these to 0 unless `keep`.
struct WideDifferences {
  WideRows rows;
  bool keep;
  std::uint64_t* counts;
  std::uint32_t* largest_zero;
  std::uint32_t* lightest;
};
int launch_wide_differences(const WideDifferences& differences, CUstream_st* stream);

// Summarises the columns b of the rows a, first <= a < last, as AutocorrelationColumns does.
//   halves    r(a,b) / 2, consecutive rows of 2^outputs values, which are set to 0
//   lightest  min wt(a) over r(a,b) != 0, b != 0
struct WideColumns {
  int outputs;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t whole;  // 2^(inputs - 1)
  std::int32_t* halves;
  std::uint32_t* largest;
  std::uint64_t* sums;
  std::uint32_t* structures;
  std::uint32_t* lightest;
};
int launch_wide_columns(const WideColumns& columns, CUstream_st* stream);

}  // namespace fugu::kernels
