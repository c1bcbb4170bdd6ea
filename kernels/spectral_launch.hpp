// Launchers of the spectral kernels. Arguments are plain data with device pointers; every launcher queues on
// `stream` and returns CUDA's status (0 is success). Free of CUDA headers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/core/hd.hpp"
#include "kernels/characters/characters_policy.hpp"
#include "kernels/walsh/walsh_policy.hpp"

struct CUstream_st;

namespace fugu::kernels {

enum class Element : std::uint8_t { int32, int64, float32, float64 };

// One pass over memory. strided: tiles of 2^(tile_bits - column_bits) rows at distance 2^first, stages of the
// tile bits [from, tile_bits). Otherwise contiguous tiles, stages [0, to).
struct WalshPass {
  bool strided;
  int tile_bits;
  int column_bits;
  int first;
  int from;
  int to;
  // The first `leaving` tiles are stored evict-first, so that L2 keeps the rest for the next pass. Strided
  // passes: all or none. Rings: 0.
  std::uint64_t leaving = 0;
};

// In place. `shift` divides by 2^shift on the way out: only in a transform's last pass. An integer that does
// not divide sets *inexact, which may be null where every value divides (ScaledSink in
// kernels/walsh/walsh_agent.hpp).
int launch_walsh_pass(Element element, const WalshPass& pass, void* data, std::uint64_t values, int shift,
                      std::uint32_t* inexact, CUstream_st* stream);

// Two passes in one launch, the second finding its input in the second-level cache: the row is cut into
// chunks of which the second pass needs all (kernels/chain_agent.hpp).
struct ChainShape {
  std::uint64_t chunks;
  std::uint32_t tiles_per_chunk;  // of either pass
  std::uint32_t lead_tiles;       // that the first pass is ahead, from one chunk to all
};

// As launch_walsh_pass, on `data` and then on `other`, which may be null. `done`: shape.chunks words of zero
// for each of them, which the launch uses up.
int launch_walsh_chain(Element element, const WalshPass& first, const WalshPass& second,
                       const ChainShape& shape, std::uint32_t* done, void* data, void* other,
                       std::uint64_t values, int shift, std::uint32_t* inexact, CUstream_st* stream);

// A whole transform of one row, 2^log2_size <= 2^kOneLaunchMaxBits values, in one cooperative launch: all of
// its blocks wait for each other, so that they must fit on the device at the same time.
constexpr int walsh_once_blocks(int log2_size) {
  return log2_size <= kSmallTileBits ? 1 : 1 << (log2_size - kSmallTileBits);
}
// How many of them fit on one multiprocessor of the current device.
int walsh_once_occupancy(Element element, int* blocks);
int launch_walsh_once(Element element, void* data, int log2_size, int shift, std::uint32_t* inexact,
                      CUstream_st* stream);

// Boolean functions. The first pass reads the packed truth table (bit x % 32 of word x / 32) of at least 15
// variables and does the stages [0, kBooleanFirstStages), whose results fit int16.
// It sets kZeroedWords words at `zeroed`, which may be null, to zero: for what the later passes gather.
inline constexpr unsigned kZeroedWords = 4;
int launch_boolean_first(const std::uint32_t* words, std::int16_t* out, int variables, std::uint32_t* zeroed,
                         CUstream_st* stream);
// Up to 14 variables in one pass.
int launch_boolean_only(const WalshPass& pass, const std::uint32_t* words, std::int32_t* out,
                        std::uint64_t values, CUstream_st* stream);
// The second pass, to 32 bits, on tiles of kTileBits or kBooleanTileBits.
int launch_boolean_widen(const WalshPass& pass, const std::int16_t* in, std::int32_t* out,
                         std::uint64_t values, CUstream_st* stream);
// The same to 16 bits. *beyond, zero before, is 1 afterwards where a value did not fit them.
int launch_boolean_narrow(const WalshPass& pass, const std::int16_t* in, std::int16_t* out,
                          std::uint32_t* beyond, std::uint64_t values, CUstream_st* stream);

// Where the device's counter of a quotient lies: 0, -1, 1, -2, 2, ..., so that a beginning of the counters
// holds the small quotients of both signs.
FUGU_HD constexpr std::uint32_t counter_of(std::int32_t quotient) {
  return static_cast<std::uint32_t>(quotient) << 1 ^ static_cast<std::uint32_t>(quotient >> 31);
}

// What a last pass gathers instead of writing the spectrum. All W(a) of a function leave one remainder modulo
// 2^step_bits: 2, of a function of one variable 1. (W(0) - W(a) is twice the weight of a.x less four times
// that of f(x) a.x.) They are even, so that it is max |W|'s too. What is added to is zero before.
//   max_abs     max |W|
//   answer      where the last block to end writes answer_count words from max_abs on, which may be memory of
//               the host; null: nowhere. max |W| comes last. One word, or a multiple of four, both from a
//               multiple of 16 bytes on
//   finished    counts the blocks for `answer`
//   counts      2 half counters of the quotients floor(W / 2^step_bits) = -half .. half - 1, in the order of
//               counter_of(), or null: not wanted
//   likely_half the same, of the quotients that most values have: blocks count these in their own memory
//   narrow_counters  these have 16 bits, so that a block has twice as many. Where one of a block's counters
//               takes more than 65535 values, all counts together are fewer than the values
//   others      room for other_capacity values beyond; *other_count how many there were
//   beyond      not zero where a pass before the last one lost a value, so that nothing of this holds
struct SpectrumStatistics {
  std::uint32_t* max_abs;
  std::uint32_t* answer;
  std::uint32_t answer_count;
  std::uint32_t* finished;
  std::uint32_t* counts;
  int step_bits;
  std::int32_t half;
  std::int32_t likely_half;
  bool narrow_counters;
  std::int32_t* others;
  std::uint32_t* other_count;
  std::uint32_t other_capacity;
  std::uint32_t* beyond;
};
int launch_boolean_only_statistics(const WalshPass& pass, const std::uint32_t* words, std::uint64_t values,
                                   const SpectrumStatistics& statistics, CUstream_st* stream);
// Of 16-bit values, on tiles of kTileBits or kBooleanTileBits.
int launch_boolean_narrow_statistics(const WalshPass& pass, const std::int16_t* in, std::uint64_t values,
                                     const SpectrumStatistics& statistics, CUstream_st* stream);
// Of 32-bit values, on tiles of kBooleanTileBits.
int launch_boolean_wide_statistics(const WalshPass& pass, const std::int32_t* in, std::uint64_t values,
                                   const SpectrumStatistics& statistics, CUstream_st* stream);

// Of kLeastColumns to kMostColumns variables, in two passes of their own (kernels/walsh/columns_agent.hpp).
// The first writes 2^(variables - 1) words to `pairs`, at a multiple of 16 bytes, and sets `zeroed_count`
// words at `zeroed` to zero. The second yields max |W| alone of kMostMaximumColumns variables at most.
int launch_boolean_columns(const std::uint32_t* words, std::uint32_t* pairs, int variables,
                           std::uint32_t* zeroed, std::uint32_t zeroed_count, CUstream_st* stream);
int launch_boolean_rows_statistics(const std::uint32_t* pairs, int variables,
                                   const SpectrumStatistics& statistics, CUstream_st* stream);

// By matrix units (kernels/walsh/matrix_agent.hpp), which GPUs of compute capability 9.0 have as these want
// them, where the library was compiled for such ones. The truth table lies at a multiple of 8 bytes. Each
// block answers in `answers`, memory of the host, with the largest |W| that it found, or with kLostValues:
// some were not exact, or not counted.
bool boolean_matrix_units(int compute_major);
inline constexpr std::uint32_t kLostValues = 0xfffffffeu;

// A row per block, of `pairs` words with two counters of 16 bits each: those of the quotients
// floor(W / 4) = -pairs .. pairs - 1, in the order of counter_of().
struct CounterRows {
  std::uint32_t* words;
  std::uint32_t pairs;
};

// kLeastOnce to kMostOnce variables, in one launch of once_blocks() blocks.
constexpr int once_chain_bits(int variables) {
  return variables - 17;
}
constexpr std::uint64_t once_blocks(int variables) {
  return std::uint64_t{16} << once_chain_bits(variables);
}
int launch_boolean_once_maximum(const std::uint32_t* words, int variables, std::uint32_t* answers,
                                CUstream_st* stream);
int launch_boolean_once_counters(const std::uint32_t* words, int variables, const CounterRows& counters,
                                 std::uint32_t* answers, CUstream_st* stream);

// kPartialVariables variables in two passes. The first writes a byte per value and kPartialTiles words that
// tell where values were lost. The second has a block per multiprocessor, and no more than kPartialRows.
inline constexpr int kPartialVariables = 24;
inline constexpr unsigned kPartialRows = 256, kPartialTiles = 1024;
struct PartialRows {
  std::uint8_t* bytes;
  std::uint32_t* lost;
};
int launch_partial_rows(const std::uint32_t* words, const PartialRows& rows, CUstream_st* stream);
int launch_partial_rows_maximum(const PartialRows& rows, std::uint32_t* answers, CUstream_st* stream);
int launch_partial_rows_counters(const PartialRows& rows, const CounterRows& counters, std::uint32_t* answers,
                                 CUstream_st* stream);

// Adds the rows up to a row of the same kind in `counts`. `pairs` is a multiple of kPairsPerSum, and each of
// pairs / kPairsPerSum blocks answers with kSomeCounts when its part is there, with kNoCounts where it would
// be zeros only, which are not written, or with kLostValues where 16 bits are too few. Both are memory of the
// host.
inline constexpr std::uint32_t kPairsPerSum = 64;
inline constexpr std::uint32_t kSomeCounts = 0, kNoCounts = 1;
int launch_sum_counters(const CounterRows& counters, std::uint32_t row_count, std::uint32_t* counts,
                        std::uint32_t* answers, CUstream_st* stream);

// The Moebius transform of a packed truth table, in words: the first pass from `words` to `out`, others in
// place, on tiles of kTileBits. A last pass, or an only one, gathers the degree of the algebraic normal form
// and writes nothing: in `max_abs` and `answer` of the statistics, 1 more than the degree and 0 for the zero
// function. Only `finished` is used besides.
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

// max |W(., b)| for the components b of a box with 8 inputs and up to 32 outputs, namely
// b = gray(i) 2^kProfileLaneBits + lane for first <= i < last and every lane.
//   coordinates  kProfileCoordinates truth tables of kProfileWords words each, bit x % 32 of word x / 32; of
//                coordinates that the box has not, 0
//   counts       kProfileHalves counters of max |W| / 2, which are added to; b = 0 is left out
//   largest      the largest max |W| known; it grows
//   list         room for `capacity` components that reached the largest one known by then; *listed counts
//                them, also those there was no room for
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

// out[k] = in[position of k], the spectrum in dyadic (gray false) or sequency (gray true) order, or with
// `back` from that order to the natural one. Out of place. Rows of 2^log2_size.
int launch_reorder(std::size_t element_bytes, const void* in, void* out, std::uint64_t values, int log2_size,
                   bool gray, bool back, CUstream_st* stream);

// Dyadic convolution: the last pass of the forward transforms of f and g, the product, and the first pass of
// the inverse, in place on f, on tiles of kConvolveTileBits. g == f is autocorrelation and transforms once.
// shift as above, when this is the only pass.
int launch_convolve_pass(Element element, const WalshPass& pass, void* f, const void* g, std::uint64_t values,
                         int shift, CUstream_st* stream);

// Bikov, Bouyukliev 2018: the kernels of Algorithms 1 to 6. `threads` a block, both arrays of 2^log2_size.
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

// Gajic, Stankovic 2012, Algorithm 1: one Kronecker step from C_p^k (side p^k) to C_p^(k+1). p at most
// kMaxKroneckerOrder, what the paper's constant memory holds; complex64 as pairs of floats.
inline constexpr std::uint32_t kMaxKroneckerOrder = 64;
int launch_kronecker_step(const float* cyclic_table, const float* in, float* out, std::uint32_t p,
                          std::uint32_t side, CUstream_st* stream);

// The write-only character table. The digits of a group as core::DigitSystem has them.
inline constexpr int kMaxCharacterFactors = 32;
struct CharacterTable {
  void* out;
  const void* values;         // what exponent e becomes: modulus values of value_bytes each
  std::uint32_t value_bytes;  // 1, 2, 8 or 16
  std::uint32_t modulus;
  int factors;
  int run_factor;  // the factors from here on make up a run
  std::uint32_t run_columns;
  std::uint32_t run_reciprocal;  // floor(2^32 / run_columns) + 1
  bool reversed;                 // equation (1)'s row order
  std::uint64_t first_row, rows, first_column, columns;
  std::uint32_t radix[kMaxCharacterFactors];  // at least 2
  std::uint32_t weight[kMaxCharacterFactors];
  std::uint32_t reciprocal[kMaxCharacterFactors];  // floor(2^32 / radix) + 1
};
int launch_character_table(const CharacterTable& table, CUstream_st* stream);

}  // namespace fugu::kernels
