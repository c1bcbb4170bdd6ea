// Launchers of the spectral kernels. Arguments are plain data with device pointers. Every launcher queues
// work on `stream` and returns CUDA's status (0 is success). This header includes no CUDA header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/core/hd.hpp"
#include "kernels/walsh/walsh_policy.hpp"

struct CUstream_st;

namespace fugu::kernels {

enum class Element : std::uint8_t { int32, int64, float32, float64, float16, bfloat16 };

// One pass over memory. A strided pass has tiles of 2^(tile_bits - column_bits) rows at distance 2^first and
// computes the stages of the tile bits [from, tile_bits). Other passes have contiguous tiles and compute the
// stages [0, to).
struct WalshPass {
  bool strided;
  int tile_bits;
  int column_bits;
  int first;
  int from;
  int to;
  // The first `leaving` tiles are stored evict-first, so that L2 keeps the others for the next pass. A
  // strided pass stores all or none that way; passes with ring tiles have 0.
  std::uint64_t leaving = 0;
};

// What the last pass of a transform does to its results. Integers are divided by 2^shift; one that is not
// divisible sets *inexact, which may be null if all are. Floats are multiplied by `factor`.
struct Scaling {
  int shift = 0;
  double factor = 1;
  std::uint32_t* inexact = nullptr;
};
// Division by 2^shift for every type, 0 <= shift < 64.
constexpr Scaling division(int shift, std::uint32_t* inexact = nullptr) {
  return {shift, 1.0 / static_cast<double>(std::uint64_t{1} << shift), inexact};
}

// Computes one pass from `in` to `out`, `values` values each, which may be the same memory and must not
// overlap otherwise. Passes before the last one do not scale.
int launch_walsh_pass(Element element, const WalshPass& pass, const void* in, void* out, std::uint64_t values,
                      const Scaling& scaling, CUstream_st* stream);

// Parts of 2^column_bits values, of which all but `own` have arrived at `values`, part after part.
struct ReceivedParts {
  const void* values;
  int column_bits;
  unsigned own;
};
// Computes a contiguous pass on smaller tiles than ring tiles as launch_walsh_pass() does, taking the parts
// that have arrived from there. Tiles divide parts.
int launch_walsh_received(Element element, const WalshPass& pass, void* data, const ReceivedParts& received,
                          std::uint64_t values, CUstream_st* stream);

// Two passes in one launch: the second pass finds its input in L2. The row is cut into chunks, each of which
// the second pass needs as a whole (kernels/walsh/chain_agent.hpp).
struct ChainShape {
  std::uint64_t chunks;
  std::uint32_t tiles_per_chunk;  // per pass
  std::uint32_t lead_tiles;       // by which the first pass leads: from one chunk's tiles to all
};

// Computes both passes as launch_walsh_pass() does, from `in` to `out` and then on `other`, which may be
// null. `done` has shape.chunks words for each of them, which are 0 before and undefined afterwards.
int launch_walsh_chain(Element element, const WalshPass& first, const WalshPass& second,
                       const ChainShape& shape, std::uint32_t* done, const void* in, void* out, void* other,
                       std::uint64_t values, const Scaling& scaling, CUstream_st* stream);

// Computes the whole transform of one row, 2^log2_size <= 2^kOneLaunchMaxBits values, in one cooperative
// launch. All of its blocks wait for each other, so they must fit on the device at the same time.
constexpr int walsh_once_blocks(int log2_size) {
  const int tile_bits = once_tile_bits(log2_size);
  return log2_size <= tile_bits ? 1 : 1 << (log2_size - tile_bits);
}
// Sets *blocks to the number of such blocks that fit on one multiprocessor of the current device.
int walsh_once_occupancy(Element element, int log2_size, int* blocks);
int launch_walsh_once(Element element, const void* in, void* out, int log2_size, const Scaling& scaling,
                      CUstream_st* stream);

// Rows of 2^log2_size 16-bit floats, computed in 32 bits, multiplied by `factor` and rounded once. Arrays as
// of launch_walsh_pass().
// Up to kMaxHalfTileBits, on arrays that begin at a multiple of 4 bytes.
int launch_half_tiles(Element half, const void* in, void* out, std::uint64_t values, int log2_size,
                      float factor, CUstream_st* stream);
// kMinHalfChainBits to kMaxHalfBits, as a chain of two passes with 32-bit values between them in a ring at
// `between`, which has room for kHalfRingPairs or for all of them. A chunk is a row; the ring has room for
// those that the first pass leads by, and for one more.
constexpr ChainShape half_chain(std::uint64_t values, int log2_size) {
  const std::uint64_t chunks = values >> log2_size;
  const std::uint32_t tiles = std::uint32_t{1} << (log2_size - 1 - kHalfTileBits);
  const std::uint64_t lead = tiles + half_ahead_tiles(log2_size);
  return {chunks, tiles, static_cast<std::uint32_t>(lead < chunks * tiles ? lead : chunks * tiles)};
}
// `done` has two words for each row, which are 0 before and undefined afterwards.
int launch_half_chain(Element half, const void* in, void* out, float* between, std::uint32_t* done,
                      std::uint64_t values, int log2_size, float factor, CUstream_st* stream);

// Rows of m 2^log2_size values by the Hadamard matrix of m rows, m being 12, 20, 28 or 40, or by its
// transpose (kernels/walsh/pair_agent.hpp), of float16, bfloat16 or float32, multiplied by `factor` and
// rounded once. 1 <= log2_size <= kMaxBaseBits. Arrays as of launch_walsh_pass(), which begin at a multiple
// of two values' bytes, on devices with base_row_bytes() of shared memory per block.
struct HadamardRows {
  int m;
  bool transposed;
  int log2_size;
};
int launch_hadamard_rows(Element type, const HadamardRows& rows, const void* in, void* out,
                         std::uint64_t values, float factor, CUstream_st* stream);
// 16-bit values (kernels/walsh/half_rows_agent.hpp), in arrays that begin at a multiple of kPieceBytes. m is
// 1 for rows of 2^1 to 2^kMaxHalfRowBits, of whole pieces of kHalfPiece values below 2^kMinHalfRowBits; else
// kMinMatrixBits <= log2_size. But for the short ones, devices of compute capability 8.0 with
// half_rows_shared_bytes() of shared memory per block.
int launch_half_rows(Element half, const HadamardRows& rows, const void* in, void* out, std::uint64_t values,
                     float factor, CUstream_st* stream);

// Boolean functions. Computes the first pass from the packed truth table (f(x) is bit x % 32 of word x / 32)
// of at least 15 variables: the stages [0, kBooleanFirstStages), whose results fit int16.
int launch_boolean_first(const std::uint32_t* words, std::int16_t* out, int variables, CUstream_st* stream);
// Computes the whole spectrum of at most 14 variables in one pass.
int launch_boolean_only(const WalshPass& pass, const std::uint32_t* words, std::int32_t* out,
                        std::uint64_t values, CUstream_st* stream);
// Computes the second pass with 32-bit results, on tiles of kTileBits or kBooleanTileBits.
int launch_boolean_widen(const WalshPass& pass, const std::int16_t* in, std::int32_t* out,
                         std::uint64_t values, CUstream_st* stream);
// Computes the second pass with 16-bit results. Sets *beyond, which is 0 before, to 1 if a value does not
// fit.
int launch_boolean_narrow(const WalshPass& pass, const std::int16_t* in, std::int16_t* out,
                          std::uint32_t* beyond, std::uint64_t values, CUstream_st* stream);

// Returns the index of a quotient's counter. Quotients are in the order 0, -1, 1, -2, 2, ..., so that the
// first counters are those of the small quotients of both signs.
FUGU_HD constexpr std::uint32_t counter_of(std::int32_t quotient) {
  return static_cast<std::uint32_t>(quotient) << 1 ^ static_cast<std::uint32_t>(quotient >> 31);
}

// The statistics that a last pass collects in place of the spectrum. All W(a) of a function have the same
// remainder modulo 2^step_bits, where step_bits is 1 for one variable and otherwise 2. (W(0) - W(a) is twice
// the weight of a.x minus four times that of f(x) a.x.) They are even, so max |W| has that remainder, too.
// max_abs, finished, counts and other_count are 0 before.
//   max_abs     max |W|
//   answer      a word, of the device or the host, to which the last block to finish writes max |W|; may be
//               null
//   finished    the number of finished blocks, used if `answer` is not null
//   counts      2 half counters of the quotients floor(W / 2^step_bits) = -half .. half - 1, in the order of
//               counter_of(); may be null
//   likely_half quotients -likely_half .. likely_half - 1 are those of most values: blocks count them in
//               shared memory
//   others      at most other_capacity values whose quotients have no counter; *other_count is their number
//   beyond      not 0 if an earlier pass lost a value: all results are then invalid
struct SpectrumStatistics {
  std::uint32_t* max_abs;
  std::uint32_t* answer;
  std::uint32_t* finished;
  std::uint32_t* counts;
  int step_bits;
  std::int32_t half;
  std::int32_t likely_half;
  std::int32_t* others;
  std::uint32_t* other_count;
  std::uint32_t other_capacity;
  std::uint32_t* beyond;
};
int launch_boolean_only_statistics(const WalshPass& pass, const std::uint32_t* words, std::uint64_t values,
                                   const SpectrumStatistics& statistics, CUstream_st* stream);
// `in` has 16-bit values; tiles have kTileBits or kBooleanTileBits.
int launch_boolean_narrow_statistics(const WalshPass& pass, const std::int16_t* in, std::uint64_t values,
                                     const SpectrumStatistics& statistics, CUstream_st* stream);
// `in` has 32-bit values; tiles have kBooleanTileBits.
int launch_boolean_wide_statistics(const WalshPass& pass, const std::int32_t* in, std::uint64_t values,
                                   const SpectrumStatistics& statistics, CUstream_st* stream);

// Passes of the Moebius transform of a packed truth table of `count` words, on tiles of kTileBits. The first
// pass writes to `out`, the others work in place. The last or only pass writes no form. It gathers the degree
// of the algebraic normal form in `max_abs` and `answer` of the statistics: the degree + 1, or 0 for the zero
// function. Of the other members it uses only `finished`.
constexpr std::uint64_t words_of(int variables) {
  return variables < 5 ? 1 : std::uint64_t{1} << (variables - 5);
}
int launch_moebius_first(const WalshPass& pass, const std::uint32_t* words, std::uint32_t* out,
                         std::uint64_t count, CUstream_st* stream);
int launch_moebius_pass(const WalshPass& pass, std::uint32_t* words, std::uint64_t count,
                        CUstream_st* stream);
int launch_degree_only(const WalshPass& pass, const std::uint32_t* words, int variables,
                       const SpectrumStatistics& statistics, CUstream_st* stream);
int launch_degree_last(const WalshPass& pass, const std::uint32_t* words, int variables,
                       const SpectrumStatistics& statistics, CUstream_st* stream);

// Computes max |W(., b)| for the components b = gray(i) 2^kProfileLaneBits + lane of a box with 8 inputs and
// at most 32 outputs, for first <= i < last and every lane.
//   coordinates  kProfileCoordinates truth tables of kProfileWords words each, f(x) is bit x % 32 of word x /
//                32; 0 for coordinates that the box does not have
//   counts       kProfileHalves counters of max |W| / 2, which are added to; b = 0 is not counted
//   largest      raised to the largest max |W|, if that is larger
//   list         at most `capacity` components that reached the largest one known at that time; *listed is
//                increased by their number, including those that did not fit
inline constexpr int kProfileLaneBits = 7;
inline constexpr int kProfileWords = 8;
inline constexpr int kProfileCoordinates = 32;
inline constexpr int kProfileHalves = 129;
struct ListedComponent {
  std::uint32_t mask;
  std::uint32_t largest;
};
struct ComponentProfile {
  const std::uint32_t* coordinates;
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t* counts;
  std::uint32_t* largest;
  std::uint32_t* listed;
  ListedComponent* list;
  std::uint32_t capacity;
};
int launch_component_profile(const ComponentProfile& profile, CUstream_st* stream);

// Writes out[k] = in[position of k] for rows of 2^log2_size values: the spectrum in dyadic (gray false) or
// sequency (gray true) order or, with `back`, from that order to the natural one. Not in place.
int launch_reorder(std::size_t element_bytes, const void* in, void* out, std::uint64_t values, int log2_size,
                   bool gray, bool back, CUstream_st* stream);

// Dyadic convolution on tiles of kConvolveTileBits, in place on f: computes the last pass of the forward
// transforms of f and g, the product, and the first pass of the inverse. If g == f, it computes the
// autocorrelation with one forward transform. `shift` divides by 2^shift, and is not 0 only if this is the
// only pass.
int launch_convolve_pass(Element element, const WalshPass& pass, void* f, const void* g, std::uint64_t values,
                         int shift, CUstream_st* stream);

// Bikov, Bouyukliev 2018: the kernels of Algorithms 1 to 6. `threads` is per block; both arrays have `size`
// values.
struct PaperStep {
  std::int32_t* spectrum;
  std::int32_t* other;  // the second array of Algorithms 1 to 4
  std::uint64_t size;
  int step;                         // r: the number of the step, from 1
  std::uint32_t distance;           // j
  std::uint32_t values_per_thread;  // M, Algorithm 3
  std::uint32_t threads;
};
int launch_fwt_kernel(const PaperStep& step, CUstream_st* stream);                 // Algorithms 1 and 4
int launch_fwt_kernel_no_if(const PaperStep& step, CUstream_st* stream);           // Algorithm 2
int launch_fwt_kernel_m(const PaperStep& step, CUstream_st* stream);               // Algorithm 3
int launch_fwt_kernel_sm(const PaperStep& step, CUstream_st* stream);              // Algorithms 4 and 5
int launch_fwt_kernel_sm_mp(const PaperStep& step, CUstream_st* stream);           // Algorithm 5
int launch_fwt_kernel_shfl_xor_sm(const PaperStep& step, CUstream_st* stream);     // Algorithm 6
int launch_fwt_kernel_shfl_xor_sm_mp(const PaperStep& step, CUstream_st* stream);  // Algorithm 6

// Gajic, Stankovic: the three kernels of the dyadic convolution's Algorithm 1.
int launch_dyadic_step(std::int64_t* data, std::uint64_t size, std::uint64_t step, CUstream_st* stream);
int launch_dyadic_multiply(std::int64_t* f, const std::int64_t* g, std::uint64_t size, CUstream_st* stream);
int launch_dyadic_scale(std::int64_t* f, std::uint64_t size, int shift, CUstream_st* stream);

// Gajic, Stankovic 2012, Algorithm 1: computes one Kronecker step from C_p^k (side p^k) to C_p^(k+1). p is at
// most kMaxKroneckerOrder, which the paper's constant memory holds. Values are complex64, as pairs of floats.
inline constexpr std::uint32_t kMaxKroneckerOrder = 64;
int launch_kronecker_step(const float* cyclic_table, const float* in, float* out, std::uint32_t p,
                          std::uint32_t side, CUstream_st* stream);

// Writes `rows` x `columns` entries of a character table to `out`. The group's digits are those of
// core::DigitSystem.
inline constexpr int kMaxCharacterFactors = 32;
struct CharacterTable {
  void* out;
  const void* values;         // the value of each exponent e: `modulus` values of value_bytes each
  std::uint32_t value_bytes;  // 1, 2, 8 or 16
  std::uint32_t modulus;
  int factors;
  int run_factor;  // the factors from here on form a run
  std::uint32_t run_columns;
  std::uint32_t run_reciprocal;  // floor(2^32 / run_columns) + 1
  bool reversed;                 // rows in the order of equation (1)
  std::uint64_t first_row, rows, first_column, columns;
  std::uint32_t radix[kMaxCharacterFactors];  // at least 2
  std::uint32_t weight[kMaxCharacterFactors];
  std::uint32_t reciprocal[kMaxCharacterFactors];  // floor(2^32 / radix) + 1
};
int launch_character_table(const CharacterTable& table, CUstream_st* stream);

inline constexpr unsigned kCharacterThreads = 256;

// Up to this size the roots are copied to shared memory; larger tables are read through the cache.
inline constexpr std::uint32_t kSharedValueBytes = 16 * 1024;

// The most runs per block: their shifts are in shared memory too.
inline constexpr std::uint32_t kRunsPerBlock = 16;

// The columns per run: the last factors, up to about a thousand columns, more for small values. A last factor
// too long for that is a run of its own up to kMaxRunColumns; a longer one is done column by column.
constexpr std::uint64_t run_columns_of(std::uint32_t value_bytes) {
  return value_bytes > 2 ? 1024 : 2304;
}
inline constexpr std::uint32_t kMaxRunColumns = 12288;

// Transforms over finite Abelian groups.

inline constexpr int kMaxGroupAxes = 32;

// Axes of at most this many values are transformed in tiles in shared memory, several axes per pass.
inline constexpr std::uint32_t kMaxTileRadix = 32;

// The size of a tile. A tile of separate rows has at least kGroupColumns adjacent values of each.
inline constexpr std::size_t kGroupTileBytes = std::size_t{160} << 10;
inline constexpr std::uint32_t kGroupColumns = 8;

enum class GroupElement : std::uint8_t { complex64, complex128 };

// The elements and their ring.
//   roots    modulus elements: zeta^-e for the transform, zeta^e for its inverse
//   scale    of the last pass: the factor of each result
struct GroupRing {
  GroupElement element;
  const void* roots;
  std::uint32_t modulus;
  double scale;
};

// Neighbouring axes, in place.
//   radix    of the axes, the first the most significant
//   rows     their product
//   stride   values from one row to the next: the product of the later axes of the group
//   columns  per row of a tile, at most `stride`
//   repeats  with stride 1: the number of consecutive groups of rows per tile
struct GroupPass {
  int axes;
  std::uint32_t radix[kMaxGroupAxes];
  std::uint32_t rows;
  std::uint64_t stride;
  std::uint32_t columns;
  std::uint32_t repeats;
};
int launch_group_pass(const GroupRing& ring, const GroupPass& pass, void* data, std::uint64_t values,
                      CUstream_st* stream);

// One axis of any length, not in place.
int launch_group_axis(const GroupRing& ring, std::uint32_t radix, std::uint64_t stride, const void* in,
                      void* out, std::uint64_t values, CUstream_st* stream);

}  // namespace fugu::kernels
