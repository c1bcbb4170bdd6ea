// Launchers of the S-box laboratory's kernels, beside those of kernels/spectral_launch.hpp. Arguments are
// plain data with device pointers; every launcher queues on `stream` and returns CUDA's status (0 is
// success). Free of CUDA headers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/core/hd.hpp"

struct CUstream_st;

namespace fugu::kernels {

inline constexpr std::uint32_t kNoWeight = 64;
inline constexpr std::uint32_t kNoInput = ~std::uint32_t{0};

// The values of a box in the device's memory, from another's memory there.
//   bits  of all values together are or-ed to it; a negative value has the highest
enum class Integer : std::uint8_t { int8, int16, int32, int64, uint8, uint16, uint32, uint64 };
struct BoxValues {
  const void* from;
  Integer type;
  std::uint32_t count;
  std::uint32_t* values;
  std::uint64_t* bits;
};
int launch_box_values(const BoxValues& box, CUstream_st* stream);

// Of at most 16 outputs.
struct NarrowValues {
  const std::uint32_t* values;
  std::uint32_t count;
  std::uint16_t* narrow;
};
int launch_narrow_values(const NarrowValues& box, CUstream_st* stream);

// The truth tables of the coordinates 0 .. coordinates - 1, of at most 32, `words` words each, bit x % 32 of
// word x / 32; those of a smaller box are repeated.
struct BoxCoordinates {
  const std::uint32_t* values;
  std::uint32_t size;
  std::uint32_t words;
  int coordinates;
  std::uint32_t* out;
};
int launch_box_coordinates(const BoxCoordinates& box, CUstream_st* stream);

// How often y_j = x_i among the points of such coordinates: added to counts[i * outputs + j].
struct OneBitAgreements {
  const std::uint32_t* coordinates;
  std::uint32_t words;
  int inputs;
  int outputs;
  std::uint32_t* counts;
};
int launch_one_bit_agreements(const OneBitAgreements& all, CUstream_st* stream);

// The S(x) + S(x + 2^i) of one bit, or-ed to reached[i].
struct OneBitDifferences {
  const std::uint32_t* values;
  std::uint32_t size;
  int inputs;
  std::uint32_t* reached;
};
int launch_one_bit_differences(const OneBitDifferences& all, CUstream_st* stream);

// Spectra and rows that fit one block's shared memory have 2^12, 2^14 or 2^16 values; smaller boxes are taken
// as larger ones that do not depend on the other inputs or do not use the other outputs.
inline constexpr int kMostBlockBits = 16;
constexpr int block_bits(int bits) {
  return bits <= 12 ? 12 : bits <= 14 ? 14 : 16;
}

struct ComponentFindings {
  std::uint32_t largest;   // max |W(., b)|
  std::uint32_t first;     // 2 a + (W(a,b) < 0) of the first a that reaches it, at least where no b has more
  std::uint32_t nonzero;   // a with W(a,b) != 0
  std::uint32_t lightest;  // their least weight, a = 0 left out, or kNoWeight
  std::uint32_t balanced;  // W(0,b) = 0
};

// The Walsh spectra of the components gray(i), first <= i < last.
//   coordinates  truth tables of 2^bits points, bit x % 32 of word x / 32, `bits` as block_bits() says
//   findings     by b
//   counts       2^bits + 1 counters of W / 2 + 2^(bits - 1), which are added to
struct ComponentSpectra {
  int bits;
  const std::uint32_t* coordinates;
  std::uint32_t first;
  std::uint32_t last;
  ComponentFindings* findings;
  std::uint64_t* counts;
};
int launch_component_spectra(const ComponentSpectra& spectra, CUstream_st* stream);

// The rows a = first .. last - 1 of the difference distribution table; a != 0.
//   values       S(x), 2^inputs of them; inputs and outputs at most kMostBlockBits
//   counts       2^(inputs - 1) + 1 counters of delta(a,b) / 2, delta != 0, which are added to
//   largest_zero max delta(a,0); grows
//   lightest     min wt(a) + wt(b), delta(a,b) > 0; shrinks
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

// The rows of the autocorrelation table: as above, and then transformed over b.
//   magnitudes   |r(a,b)| / 2, two to a word, in the order of stored_column(): a row of 2^block_bits(outputs)
//                after the other, from `first` on
//   lightest     min wt(a), r(a,b) != 0, b != 0; shrinks
struct AutocorrelationRows {
  DifferenceRows rows;
  std::uint32_t* magnitudes;
  std::uint32_t* lightest;
};
int launch_autocorrelation_rows(const AutocorrelationRows& rows, CUstream_st* stream);

// By column b of such rows: max |r| / 2, sum of (r / 2)^2, and how often |r| = 2^inputs; all are added to.
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

// Boxes of more inputs or outputs, up to 20 of each.

// The truth tables of the components b = first .. first + count - 1, of coordinates as BoxCoordinates has
// them.
struct WideComponents {
  int outputs;
  std::uint32_t words;
  const std::uint32_t* coordinates;
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t* out;
};
int launch_wide_components(const WideComponents& components, CUstream_st* stream);

struct WideFindings {
  std::uint64_t peak;      // (max |W(., b)| / 2) 2^32 + 2^32 - 1 - ComponentFindings::first; grows
  std::uint32_t nonzero;   // a with W(a,b) != 0; added to
  std::uint32_t lightest;  // their least weight, a = 0 left out; shrinks
  std::uint32_t balanced;  // W(0,b) = 0
};

// The spectra of `count` components of boxes of 17 to 20 inputs, most of whose W are small.
//   tables    of each component what launch_wide_components() writes
//   findings  of each component; of `peak` the low half where no other component has more
//   counts    2^inputs + 1 counters of W / 2 + 2^(inputs - 1), which are added to
//   inexact   set to 1 where W are so large that what was found may be wrong. Where it is not and W^2 / 4 by
//   the
//             counters add up to Parseval's 2^(2 inputs - 2) per component, all is right.
inline constexpr std::size_t kComponentRowsBytes = 168000;  // of a block's shared memory
struct ComponentRows {
  int inputs;
  const std::uint32_t* tables;
  std::uint32_t count;
  WideFindings* findings;
  std::uint64_t* counts;
  std::uint32_t* inexact;
};
int launch_component_rows(const ComponentRows& rows, CUstream_st* stream);

// The spectra of the components b = first .. first + count - 1 of any such boxes.
//   narrow    of each component what launch_boolean_first() writes
//   findings  by b - first
//   counts    2^inputs + 1 counters of W / 2 + 2^(inputs - 1), which are added to; also of W = 0, and of b =
//   0
struct WideSpectra {
  int inputs;
  const std::int16_t* narrow;
  std::uint32_t first;
  std::uint32_t count;
  WideFindings* findings;
  std::uint64_t* counts;
};
int launch_wide_spectra(const WideSpectra& spectra, CUstream_st* stream);

// The rows a = first .. last - 1 of the difference distribution table, a != 0, in the device's memory.
//   pairs   delta(a,b) / 2, a row of 2^outputs after the other; above kMostSharedOutputs they are added to
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

// Of these rows, which are set to zero; the rest as DifferenceRows has it.
struct WideDifferences {
  WideRows rows;
  std::uint64_t* counts;
  std::uint32_t* largest_zero;
  std::uint32_t* lightest;
};
int launch_wide_differences(const WideDifferences& differences, CUstream_st* stream);

// By column b of rows r(a,b) / 2, a row of 2^outputs after the other, which are set to zero: as
// AutocorrelationColumns has it, and the least weight of an a with r(a,b) != 0, b != 0.
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

// The same of boxes of 6 inputs and more and of 17 to 20 outputs, where few pairs share an entry.
constexpr bool is_sparse(int inputs, int outputs) {
  return inputs >= 6 && outputs > kMostBlockBits && inputs <= outputs + 1;
}
inline constexpr std::uint32_t kMostSparsePairs = 32;
constexpr std::size_t sparse_plane_bytes(int outputs) {
  return (std::size_t{1} << (outputs - 3)) + kMostSparsePairs * sizeof(std::uint32_t);
}

// The rows a = first .. last - 1 of the difference distribution table, as DifferenceRows has them.
//   lists    2^(inputs - 1) words, or 1024 where that is more, for each of at most `blocks` blocks
//   crowded  set to 1 where an entry is of more than kMostSparsePairs pairs: what was found is then void
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

// The same rows as counters of four bits (kernels/sbox/sparse_row_agent.hpp), 2^(outputs - 3) words each, one
// after the other; `largest_zero` and `lightest` as DifferenceRows has them.
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

// The first stages of their transforms: halves has 2^(outputs - 1) words for each of `rows` rows. `counts`:
// 16 counters of delta(a,b) / 2, delta != 0, which are added to.
struct SparseTransform {
  int outputs;
  std::uint32_t rows;
  const std::uint32_t* nibbles;
  std::uint32_t* halves;
  std::uint64_t* counts;
};
int launch_sparse_transform(const SparseTransform& transform, CUstream_st* stream);

// Between the passes and afterwards values lie where blocks and threads take them.
inline constexpr int kSparseTileBits = 11;  // the lowest of b, which the first pass takes
inline constexpr unsigned kSparseThreads = 256;
FUGU_HD constexpr std::uint32_t sparse_group_words(int high_bits) {
  return std::uint32_t{1} << (12 - high_bits);
}
// The lowest bits of b of the low or high value of a word of a tile.
constexpr std::uint32_t sparse_low_bits(std::uint32_t word, std::uint32_t high) {
  const std::uint32_t lane = word % 32;
  return (lane & 3) | high << 2 | (lane & 12) << 1 | word / 32 << 5 | (lane & 16) << 6;
}

// The column that has this place in what is kept by column.
constexpr std::uint32_t sparse_column(std::uint32_t place, int outputs) {
  const std::uint32_t each = sparse_group_words(outputs - kSparseTileBits);
  const std::uint32_t thread = place % kSparseThreads, i = place / kSparseThreads % 32;
  const std::uint32_t group = place / kSparseThreads / 32;
  const std::uint32_t tile = thread / (2 * each) << 5 | i;
  return tile << kSparseTileBits | sparse_low_bits(group * each + thread % each, thread / each % 2);
}

// The others, and what WideColumns finds; by the place of b that sparse_column() tells. Where counters of
// four bits were not enough, structures[0] does not grow by the number of rows.
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

// The same of boxes of 16 to 20 outputs whose rows fit bytes after their first stages, on chips of compute
// capability 9.0 and more.
constexpr bool has_byte_rows(int inputs, int outputs) {
  return outputs >= 16 && outputs <= 20 && inputs <= outputs && inputs >= outputs - 7;
}

// A row has 2^(outputs - 2) words. The kTileBits lowest bits of b number the columns of a tile, the others
// number the tiles. The stages over the 8 lowest bits of a tile's number are two products with Hadamard
// matrices; the kDeep stages over the bits above come before them.
template <int outputs>
struct ByteLayout {
  static constexpr int kTileBits = outputs == 16 ? 8 : 9;
  static constexpr int kWordBits = kTileBits - 6;  // that number the words of a lane
  static constexpr int kDeep = outputs - kTileBits - 8;
  static constexpr int kShallow = 3 - kDeep;  // bits of a column of a tile, where kDeep is less than 3
  static constexpr std::uint32_t kGroups = std::uint32_t{1} << (outputs - 14);
};
inline constexpr std::uint32_t kByteGroupWords = 1 << 12;
inline constexpr unsigned kByteColumnThreads = 256;
inline constexpr std::size_t kMostByteRowBytes = 225 << 10;  // of a block's shared memory

// The column that has this place in what is kept by column.
template <int outputs>
FUGU_HD constexpr std::uint32_t byte_column(std::uint32_t place) {
  using Layout = ByteLayout<outputs>;
  constexpr int kAbove = Layout::kTileBits - 5;  // the lowest bit of b that numbers lanes, bit 2 apart
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

// The first stages, from pairs on.
//   values   of 16 bits: 16 outputs; of 32: more
//   bytes    of each row where byte_place() tells, one after the other (kernels/sbox/byte_row_agent.hpp)
//   counts   16 counters of delta(a,b) / 2, delta != 0, which are added to
//   inexact  set to 1 where bytes or counters had too little room
// The rest as DifferenceRows has it.
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

// The others, and max |r| / 2 and the sum of (r / 2)^2 by column, kept by the place of b that byte_column()
// tells. Column 0 is taken as if r(a,0) were 0, and it is not where a counter had too little room.
//   each      rows that a block adds up
//   odd       the sum of all values of the box, bit by bit modulo 2: the parity of its product with b is that
//             of the pairs {x, x + a} on which component b takes two values, and so of all r(a,b) / 4
//   lightest  min wt(a), r(a,b) != 0; shrinks
//   inexact   set to 1 where sums had too little room
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

// The same by column.
struct ByteOrder {
  int outputs;
  const std::uint32_t* largest_by_place;
  const std::uint64_t* sums_by_place;
  std::uint32_t* largest;
  std::uint64_t* sums;
};
int launch_byte_order(const ByteOrder& all, CUstream_st* stream);

// The sum of all values, bit by bit modulo 2: added so to *sum.
struct ValueSum {
  const std::uint32_t* values;
  std::uint32_t count;
  std::uint32_t* sum;
};
int launch_value_sum(const ValueSum& all, CUstream_st* stream);

struct ComponentSummary {
  std::uint32_t largest;  // max |W(., b)|
  std::int8_t correlation_immunity;
  std::uint8_t balanced;
  std::uint8_t plateaued;
};

// Grows with max |W(., b)|, then with smaller a, then with smaller b. `largest`: 2^20 at most.
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

// Of the components b != 0 of a box of at most 20 inputs and outputs.
//   scale     that of `findings`, as far as the box was taken as a larger one
//   branch    min wt(a) + wt(b), W(a,b) != 0; shrinks
//   peak      by peak_of(); grows
template <class Findings>
struct ComponentSummaries {
  int inputs;
  std::uint32_t scale;
  std::uint32_t count;  // 2^outputs
  const Findings* findings;
  ComponentSummary* summaries;
  std::uint32_t* branch;
  std::uint64_t* peak;
};
int launch_component_summaries(const ComponentSummaries<ComponentFindings>& all, CUstream_st* stream);
int launch_component_summaries(const ComponentSummaries<WideFindings>& all, CUstream_st* stream);

// The rows a = first .. last - 1, a != 0, of the boomerang connectivity table and of its Feistel counterpart,
// of a box of as many outputs as inputs, `bits`. Value: 16 bits up to kMostBlockBits, 32 bits above.
//   before    2^(bits - 1) values for each of at most `blocks` blocks
//   counters  of 32-bit values only: 2^bits words, all 0, for each of them
//   beta      2^(bits - 1) + 1 counters of beta(a,b) / 2, beta != 0, which are added to
//   phi       as many of phi(a,b) / 4, phi != 0, b != 0, b != a, two entries at a time; added to
//   is_no_permutation  set to 1 where the box is none: what was found is then void
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

inline constexpr int kMostTransparencyOutputs = 16;

// r(a,2^j) of all a, in r[kMostTransparencyOutputs a + j]; 0 of a = 0 and of other j.
//   coordinates  as BoxCoordinates has them
struct CoordinateAutocorrelations {
  int inputs;
  int outputs;
  std::uint32_t words;
  const std::uint32_t* coordinates;
  std::int32_t* r;
};
int launch_coordinate_autocorrelations(const CoordinateAutocorrelations& all, CUstream_st* stream);

// The sum over a < size of |sum over j of (-1)^beta_j r(a,2^j)|: added to totals[beta], beta below
// 2^(outputs - 1).
struct TransparencyTotals {
  int outputs;
  std::uint32_t size;
  const std::int32_t* r;
  std::uint64_t* totals;
};
int launch_transparency_totals(const TransparencyTotals& all, CUstream_st* stream);

// The algebraic degree of every component b < 2^outputs, b = 0: -1.
//   forms  the coordinates' algebraic normal forms, coordinate j at forms + j words: the coefficient of the
//          monomial k is bit k % 32 of word k / 32
//   order  the words' indices, those of large weight first
struct ComponentDegrees {
  int outputs;
  std::uint32_t words;
  const std::uint32_t* forms;
  const std::uint32_t* order;
  std::int8_t* degrees;
};
int launch_component_degrees(const ComponentDegrees& degrees, CUstream_st* stream);

// Boxes of up to 8 inputs and outputs, many at once, as boxes of 8 inputs (which then do not depend on the
// others).
//   values      256 bytes a box
//   linearity   max |W(a,b)|, b != 0, of the box of 8 inputs
//   uniformity  max delta(a,b), a != 0, a < 2^inputs, of the box of 8 inputs
//   degree      of the box
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

}  // namespace fugu::kernels
