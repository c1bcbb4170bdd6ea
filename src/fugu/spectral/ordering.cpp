// Moves a spectrum between its orderings, in place.
//
// sequency = bit reversal, then Gray code. Reversal swaps tiles whose high and low index bits trade places,
// so that large rows stay at memory speed.
#include <cstring>

#include "fugu/core/butterfly.hpp"
#include "fugu/spectral/detail/walsh_passes.hpp"

namespace fugu::spectral {
namespace {

constexpr int kTileBits = 5;
constexpr std::size_t kOrderingTiles = 64;

using detail::Reorder;
using detail::Workers;

std::size_t reversed(std::size_t x, int bits) {
  return static_cast<std::size_t>(core::reverse_bits(x, bits));
}

template <class T>
void reverse_small(std::span<T> row, int n) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t j = reversed(i, n);
    if (i < j) std::swap(row[i], row[j]);
  }
}

// Swaps the tile of middle bits `from` with that of `to`: element (high, low) moves to (reversed low,
// reversed high).
template <class T>
void swap_tiles(T* row, int n, std::size_t from, std::size_t to) {
  constexpr std::size_t kSide = std::size_t{1} << kTileBits;
  T tile[kSide][kSide];
  const auto at = [&](std::size_t high, std::size_t middle) {
    return row + (high << (n - kTileBits)) + (middle << kTileBits);
  };
  for (std::size_t high = 0; high < kSide; ++high)
    std::memcpy(tile[high], at(high, from), sizeof(tile[high]));
  std::size_t mirror[kSide];
  for (std::size_t i = 0; i < kSide; ++i) mirror[i] = reversed(i, kTileBits);
  for (std::size_t high = 0; high < kSide; ++high) {
    T* target = at(high, to);
    for (std::size_t low = 0; low < kSide; ++low) {
      if (from == to) {
        target[low] = tile[mirror[low]][mirror[high]];
      } else {
        std::swap(target[low], tile[mirror[low]][mirror[high]]);
      }
    }
  }
  if (from == to) return;
  for (std::size_t high = 0; high < kSide; ++high)
    std::memcpy(at(high, from), tile[high], sizeof(tile[high]));
}

template <class T>
void reverse_index_bits(std::span<T> row, int n, const Workers& workers) {
  if (n < 2 * kTileBits) return reverse_small(row, n);
  const int middle_bits = n - 2 * kTileBits;
  workers.for_ranges(std::size_t{1} << middle_bits, kOrderingTiles, [&](std::size_t first, std::size_t last) {
    for (std::size_t from = first; from < last; ++from) {
      const std::size_t to = reversed(from, middle_bits);
      if (from <= to) swap_tiles(row.data(), n, from, to);
    }
  });
}

constexpr std::size_t kOrderingBlock = std::size_t{1} << 14;  // values that a cache holds
constexpr std::size_t kBlocksAtATime = 4;

// new[k] = old[gray(k)], or the reverse. Of each half of a row that is the same of the half's values; before,
// the quarters of the upper half change places.
template <class T>
void gray_permute(std::span<T> row, bool forward, const Workers& workers) {
  const std::size_t block = std::min(row.size(), kOrderingBlock);
  const auto swap_large = [&](std::size_t size) {
    constexpr std::size_t kPart = kOrderingBlock / 4;
    workers.for_ranges(row.size() / 4 / kPart, kBlocksAtATime, [&](std::size_t first, std::size_t last) {
      for (std::size_t at = first * kPart; at < last * kPart; at += kPart) {
        T* const lower = &row[at / (size / 4) * size + size / 2 + at % (size / 4)];
        std::swap_ranges(lower, lower + kPart, lower + size / 4);
      }
    });
  };
  const auto swap_within = [&](T* values, std::size_t size) {
    for (std::size_t upper = size / 2; upper < block; upper += size)
      std::swap_ranges(values + upper, values + upper + size / 4, values + upper + size / 4);
  };
  for (std::size_t size = row.size(); forward && size > block; size /= 2) swap_large(size);
  workers.for_ranges(row.size() / block, kBlocksAtATime, [&](std::size_t first, std::size_t last) {
    for (T* at = row.data() + first * block; at != row.data() + last * block; at += block) {
      for (std::size_t size = block; forward && size >= 4; size /= 2) swap_within(at, size);
      for (std::size_t size = 4; !forward && size <= block; size *= 2) swap_within(at, size);
    }
  });
  for (std::size_t size = 2 * block; !forward && size <= row.size(); size *= 2) swap_large(size);
}

template <class T>
void reorder_row(std::span<T> row, int n, Ordering ordering, Reorder direction, const Workers& workers) {
  const bool gray_code = ordering == Ordering::sequency;
  if (gray_code && direction == Reorder::to_natural) gray_permute(row, false, workers);
  reverse_index_bits(row, n, workers);
  if (gray_code && direction == Reorder::from_natural) gray_permute(row, true, workers);
}

}  // namespace

namespace detail {

template <class T>
void reorder(std::span<T> data, int log2_size, Ordering ordering, Reorder direction, const Workers& workers) {
  if (ordering == Ordering::natural || log2_size < 2) return;
  const std::size_t size = std::size_t{1} << log2_size;
  if (data.size() == size) return reorder_row(data, log2_size, ordering, direction, workers);
  const Workers alone(1, nullptr);
  const std::size_t grain = std::max<std::size_t>(1, (kParallelValues / 4) >> log2_size);
  workers.for_ranges(data.size() / size, grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row)
      reorder_row(data.subspan(row * size, size), log2_size, ordering, direction, alone);
  });
}

}  // namespace detail

#define FUGU_INSTANTIATE(T) \
  template void detail::reorder(std::span<T>, int, Ordering, detail::Reorder, const Workers&);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral
