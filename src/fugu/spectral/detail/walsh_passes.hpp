// The passes over memory that make up a transform. Internal: walsh, boolean and dyadic share them, so that a
// pass can do more than transform.
//
// The stages of the transform commute, so passes may run in any order: first the rows that fit a cache
// (stages [0, inner)), then column passes, each over a range of the stages above.
#pragma once

#include <algorithm>
#include <bit>
#include <span>

#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/detail/walsh_kernels.hpp"

namespace fugu::spectral::detail {

// 1 MiB: the L2 cache of today's server cores. Smaller ones spill into L3, which costs less than one more
// column pass.
template <class T>
inline constexpr int kSecondLevelBits = sizeof(T) == 8 ? 17 : 18;

template <class T>
inline constexpr std::size_t kColumnWidth = kColumnBytes / sizeof(T);

struct ColumnPass {
  int first;
  int stages;
};

// The stages of a row that fits the L2 cache, or of a shorter one if not all threads would have one.
// `cache_bits` as in WalshLimits. A row pass is as wide as a column pass needs at least.
template <class T>
int cached_row_bits(int log2_size, int cache_bits, std::size_t values, unsigned threads) {
  constexpr int kFewestBits = 12;
  if (cache_bits != 0) return std::min(log2_size, std::max(cache_bits, std::countr_zero(kColumnWidth<T>)));
  int bits = std::min(log2_size, kSecondLevelBits<T>);
  while (bits > kFewestBits && values >> bits < threads) --bits;
  return bits;
}

// More pieces than threads, since threads are not equally fast.
inline std::size_t pieces_for(unsigned threads) {
  return threads < 2 ? 1 : std::size_t{4} * threads;
}

// The stages of a row that fits a core's share of the L3 cache, if `values` values have such rows for all
// threads. Each stage of the row pass, which is depth-first, saves memory traffic of the column passes. The
// share is 8 MiB, for whole steps of three stages, or 16 where that saves a column pass of `column_stages`
// stages.
template <class T>
int shared_row_bits(int log2_size, int cache_bits, std::size_t values, unsigned threads, int column_stages) {
  constexpr int kSharedBits = sizeof(T) == 8 ? 20 : 21;
  const int cached = cached_row_bits<T>(log2_size, cache_bits, values, threads);
  if (cache_bits != 0) return cached;
  const bool spares_pass = log2_size > kSharedBits && (log2_size - kSharedBits - 1) % column_stages == 0;
  int bits = std::min(log2_size, kSharedBits + (spares_pass ? 1 : 0));
  while (bits > cached && values >> bits < pieces_for(threads)) --bits;
  return bits;
}

// Stages [0, inner) of consecutive rows of 2^inner; then calls after(some whole rows), unless it is empty,
// while they are in the cache. Keeps `data` and `after`.
template <class T>
Pass row_pass(const WalshKernels<T>& kernels, std::span<T> data, int inner, const Workers& workers,
              const std::function<void(std::span<T> rows)>& after = {});

// Adds one pass, or several if one pass over memory cannot compute all stages.
template <class T>
void add_columns(std::vector<Pass>& passes, const WalshKernels<T>& kernels, std::span<T> row,
                 const ColumnPass& pass, const Workers& workers);

enum class Reorder : std::uint8_t { from_natural, to_natural };

// Reorders every row of 2^log2_size values: a single row on all workers, several with one row per worker.
template <class T>
void reorder(std::span<T> data, int log2_size, Ordering ordering, Reorder direction, const Workers& workers);

}  // namespace fugu::spectral::detail
