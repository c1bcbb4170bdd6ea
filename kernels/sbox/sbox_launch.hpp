// Launchers of the S-box kernels. Arguments are plain data with device pointers. Every launcher queues work
// on `stream` and returns CUDA's status (0 is success). This header includes no CUDA header.
//
// S is a box of `inputs` inputs and `outputs` outputs: W(a,b) is its Walsh spectrum, delta(a,b) its
// difference distribution table, r(a,b) its autocorrelation table; wt() is the Hamming weight. Counters,
// sums, maxima and minima are combined with the values already there, which the caller sets; only
// ComponentFindings, ComponentSummary and the results of SmallBoxes are written anew.
#pragma once

#include <cstdint>

#include "fugu/core/hd.hpp"

struct CUstream_st;

namespace fugu::kernels {

inline constexpr std::uint32_t kNoWeight = 64;
inline constexpr std::uint32_t kNoInput = ~std::uint32_t{0};

// Spectra and rows that fit one block's shared memory have 2^12, 2^14 or 2^16 values. Smaller boxes are
// treated as larger ones that ignore the additional inputs or never set the additional outputs.
inline constexpr int kMaxBlockBits = 16;
constexpr int block_bits(int bits) {
  return bits <= 12 ? 12 : bits <= 14 ? 14 : 16;
}

// Launchers of the components: their Walsh spectra, summaries and degrees.

struct ComponentFindings {
  std::uint64_t peak;      // peak_key()
  std::uint32_t nonzero;   // the number of a with W(a,b) != 0
  std::uint32_t lightest;  // min wt(a) of these a, without a = 0, or kNoWeight
  std::uint32_t balanced;  // 1 if W(0,b) = 0, otherwise 0
};

// Returns a number that orders peaks of a component by larger `largest` = max |W(., b)|, then smaller `first`
// = 2 a + (W(a,b) < 0) of the first a with |W(a,b)| = largest. `first` is valid if no other b has a larger
// |W|.
FUGU_HD constexpr std::uint64_t peak_key(std::uint32_t largest, std::uint32_t first) {
  return std::uint64_t{largest} << 32 | (kNoInput - first);
}
FUGU_HD std::uint32_t largest_of(const ComponentFindings& found) {
  return static_cast<std::uint32_t>(found.peak >> 32);
}
FUGU_HD std::uint32_t first_of(const ComponentFindings& found) {
  return kNoInput - static_cast<std::uint32_t>(found.peak);
}

// Computes the Walsh spectra of the components b = gray(i), first <= i < last.
//   bits         a result of block_bits()
//   coordinates  truth tables of 2^bits points, as BoxCoordinates writes them
//   findings     one per component, indexed by b
//   counts       2^bits + 1 counters, indexed by W / 2 + 2^(bits - 1)
struct ComponentSpectra {
  int bits;
  const std::uint32_t* coordinates;
  std::uint32_t first;
  std::uint32_t last;
  ComponentFindings* findings;
  std::uint64_t* counts;
};
int launch_component_spectra(const ComponentSpectra& spectra, CUstream_st* stream);

struct ComponentSummary {
  std::uint32_t largest;  // max |W(., b)|
  std::int8_t correlation_immunity;
  std::uint8_t balanced;
  std::uint8_t plateaued;
};

// Returns a number that orders peaks by larger `largest`, then smaller a, then smaller b. `largest` is
// max |W(., b)|, at most 2^20; `first` is that of peak_key().
FUGU_HD std::uint64_t peak_of(std::uint32_t largest, std::uint32_t first, std::uint32_t b) {
  return std::uint64_t{largest} << 41 | std::uint64_t{0xfffff - (first / 2 & 0xfffff)} << 21 |
         std::uint64_t{0xfffff - b} << 1 | (first & 1);
}

struct Peak {
  std::uint32_t largest;
  std::uint32_t a;
  std::uint32_t b;
  bool negative;
};
FUGU_HD Peak peak_at(std::uint64_t peak) {
  return {static_cast<std::uint32_t>(peak >> 41), 0xfffffu - static_cast<std::uint32_t>(peak >> 21 & 0xfffff),
          0xfffffu - static_cast<std::uint32_t>(peak >> 1 & 0xfffff), (peak & 1) != 0};
}

// Summarises the components b != 0 of a box of at most 20 inputs and outputs.
//   scale      the factor by which W in `findings` is too large because the box was treated as a larger one
//   findings   one per component, indexed by b
//   summaries  one per component b != 0, indexed by b
//   branch     min wt(a) + wt(b) over W(a,b) != 0, b != 0
//   peak       max peak_of()
struct ComponentSummaries {
  int inputs;
  std::uint32_t scale;
  std::uint32_t count;  // 2^outputs
  const ComponentFindings* findings;
  ComponentSummary* summaries;
  std::uint32_t* branch;
  std::uint64_t* peak;
};
int launch_component_summaries(const ComponentSummaries& all, CUstream_st* stream);

// Writes the algebraic degree of every component b < 2^outputs to degrees[b]; -1 for b = 0.
//   forms  the coordinates' algebraic normal forms, coordinate j at forms + j words: the coefficient of the
//          monomial k is bit k % 32 of word k / 32
//   order  the indices of the words, in descending order of weight
struct ComponentDegrees {
  int outputs;
  std::uint32_t words;
  const std::uint32_t* forms;
  const std::uint32_t* order;
  std::int8_t* degrees;
};
int launch_component_degrees(const ComponentDegrees& degrees, CUstream_st* stream);

// Launchers of the rows of the difference distribution table and of the autocorrelation table of boxes of at
// most kMaxBlockBits inputs and outputs.

// The rows a of the difference distribution table, first <= a < last, a != 0.
//   inputs, outputs  at most kMaxBlockBits
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

// Computes the results of `rows`, and the rows of the autocorrelation table: those of the difference
// distribution table, transformed over b.
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

// Launchers that read a box: its values, its coordinates, and the effects of single input bits.

// Copies the `count` values of a box from device memory to `values`. T is an integer of 8 to 64 bits.
//   bits  the values, extended to 64 bits, are or-ed to it; a negative value sets the highest bit
template <class T>
struct BoxValues {
  const T* from;
  std::uint32_t count;
  std::uint32_t* values;
  std::uint64_t* bits;
};
template <class T>
int launch_box_values(const BoxValues<T>& box, CUstream_st* stream);

// Copies the `count` values of a box of at most 16 outputs to 16-bit integers.
struct NarrowValues {
  const std::uint32_t* values;
  std::uint32_t count;
  std::uint16_t* narrow;
};
int launch_narrow_values(const NarrowValues& box, CUstream_st* stream);

// Writes the truth tables of the coordinates 0 .. coordinates - 1, at most 32. Each has `words` words; point
// x is bit x % 32 of word x / 32. A box of fewer points (`size`) is repeated.
struct BoxCoordinates {
  const std::uint32_t* values;
  std::uint32_t size;
  std::uint32_t words;
  int coordinates;
  std::uint32_t* out;
};
int launch_box_coordinates(const BoxCoordinates& box, CUstream_st* stream);

// Adds to counts[i * outputs + j] the number of points x with y_j = x_i.
//   coordinates  as BoxCoordinates writes them
struct OneBitAgreements {
  const std::uint32_t* coordinates;
  std::uint32_t words;
  int inputs;
  int outputs;
  std::uint32_t* counts;
};
int launch_one_bit_agreements(const OneBitAgreements& all, CUstream_st* stream);

// Ors every S(x) + S(x + 2^i) that has exactly one bit into reached[i].
struct OneBitDifferences {
  const std::uint32_t* values;
  std::uint32_t size;
  int inputs;
  std::uint32_t* reached;
};
int launch_one_bit_differences(const OneBitDifferences& all, CUstream_st* stream);

// Launcher for many boxes of at most 8 inputs and outputs.

// Computes one result per box for many boxes of at most 8 inputs and outputs. A box of fewer inputs is given
// as one of 8 inputs that ignores the additional ones.
//   values      256 bytes per box
//   linearity   max |W(a,b)|, b != 0, of the box of 8 inputs
//   uniformity  max delta(a,b), 0 < a < 2^inputs, of the box of 8 inputs
//   degree      the algebraic degree of the box
struct SmallBoxes {
  int inputs;
  int outputs;
  std::uint64_t boxes;
  const std::uint8_t* values;
  std::uint16_t* linearity;
  std::uint16_t* uniformity;
  std::int8_t* degree;
};
int launch_small_boxes(const SmallBoxes& boxes, CUstream_st* stream);

// Launchers of the transparency order.

inline constexpr int kMaxTransparencyOutputs = 16;

// Writes (-1)^(output j of S(x)) to signs[j * size + x] for all j < outputs and x < size.
struct CoordinateSigns {
  int outputs;
  std::uint32_t size;
  const std::uint32_t* values;
  std::int64_t* signs;
};
int launch_coordinate_signs(const CoordinateSigns& all, CUstream_st* stream);

// Adds the sum over a, 0 < a < size, of |sum over j of (-1)^beta_j r(a,2^j)| to totals[beta],
// beta < 2^(outputs - 1).
//   outputs  at most kMaxTransparencyOutputs
//   r        r(a,2^j) is r[j * size + a]
struct TransparencyTotals {
  int outputs;
  std::uint32_t size;
  const std::int64_t* r;
  std::uint64_t* totals;
};
int launch_transparency_totals(const TransparencyTotals& all, CUstream_st* stream);

// Launcher of the boomerang tables.

// Computes the rows a, first <= a < last, a != 0, of the boomerang connectivity table, beta(a,b), and of its
// Feistel counterpart, phi(a,b), of a box of `bits` inputs and outputs. Value has 16 bits up to
// kMaxBlockBits, 32 bits above.
//   before    workspace: 2^(bits - 1) values for each of at most `blocks` blocks
//   counters  workspace, for 32-bit values only: 2^bits words per block, all 0
//   beta      2^(bits - 1) + 1 counters of the entries beta != 0, indexed by beta / 2
//   phi       2^(bits - 1) + 1 counters of the entries phi != 0, b != 0, b != a, indexed by phi / 4; b and
//             b + a count as one
//   is_no_permutation  set to 1 when the box is not a permutation: all results are then invalid
template <class Value>
struct BoomerangRows {
  int bits;
  const Value* values;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t blocks;
  Value* before;
  std::uint32_t* counters;
  std::uint64_t* beta;
  std::uint64_t* phi;
  std::uint32_t* is_no_permutation;
};
int launch_boomerang_rows(const BoomerangRows<std::uint16_t>& rows, CUstream_st* stream);
int launch_boomerang_rows(const BoomerangRows<std::uint32_t>& rows, CUstream_st* stream);

// Launchers for boxes of more than kMaxBlockBits inputs or outputs, at most 20 of each.

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
  ComponentFindings* findings;
  std::uint64_t* counts;
};
int launch_wide_spectra(const WideSpectra& spectra, CUstream_st* stream);

// Writes the rows a of the difference distribution table, first <= a < last, a != 0, to device memory.
//   pairs   delta(a,b) / 2, consecutive rows of 2^outputs values. Above kMaxSharedOutputs outputs the values
//           are added to, so the caller clears them.
inline constexpr int kMaxSharedOutputs = 14;
struct WideRows {
  int inputs;
  int outputs;
  const std::uint32_t* values;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t* pairs;
};
int launch_wide_rows(const WideRows& rows, CUstream_st* stream);

// Computes the results of DifferenceRows from the rows that WideRows wrote.
struct WideDifferences {
  WideRows rows;
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
