// Moves a spectrum between its orderings, in place.
//
// sequency = bit reversal, then Gray code. Both are done block by block so that large rows stay at memory
// speed: reversal swaps tiles whose high and low index bits trade places; the Gray code permutes whole blocks
// by their high bits and, within a block, depends on them in one bit only.
#include "fugu/spectral/detail/ordering.hpp"

#include <cstring>

#include "fugu/core/butterfly.hpp"

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

constexpr int kOrderingBlockBits = 12;
constexpr std::size_t kBlocksAtATime = 16;

std::size_t gray(std::size_t x) {
  return static_cast<std::size_t>(core::gray_code(x));
}

std::size_t gray_inverse(std::size_t x) {
  return static_cast<std::size_t>(core::gray_inverse(x));
}

// new[k] = old[source(k)] within each block; the block's lowest high bit reaches its top index bit.
template <class T>
void gray_within_blocks(std::span<T> row, int bits, bool forward, const Workers& workers) {
  const std::size_t size = std::size_t{1} << bits;
  workers.for_ranges(row.size() / size, kBlocksAtATime, [&](std::size_t first, std::size_t last) {
    std::vector<T> old(size);
    for (std::size_t block = first; block < last; ++block) {
      T* at = row.data() + block * size;
      std::copy(at, at + size, old.begin());
      const std::size_t carry = block % 2 * (size / 2);
      for (std::size_t k = 0; k < size; ++k) at[k] = old[forward ? gray(k) ^ carry : gray_inverse(k ^ carry)];
    }
  });
}

// One block of each cycle of the Gray code on `blocks` blocks. A cycle has at most 64 blocks: its length
// divides the smallest power of two that is at least the number of index bits.
std::vector<std::size_t> gray_cycles(std::size_t blocks) {
  std::vector<bool> done(blocks);
  std::vector<std::size_t> starts;
  for (std::size_t start = 0; start < blocks; ++start) {
    if (done[start]) continue;
    starts.push_back(start);
    for (std::size_t at = start; !done[at]; at = gray(at)) done[at] = true;
  }
  return starts;
}

// new block[h] = old block[source(h)], one cycle at a time through a spare block.
template <class T>
void gray_of_blocks(std::span<T> row, int bits, bool forward, const Workers& workers) {
  const std::size_t size = std::size_t{1} << bits;
  const std::vector<std::size_t> starts = gray_cycles(row.size() / size);
  workers.for_ranges(starts.size(), kBlocksAtATime, [&](std::size_t first, std::size_t last) {
    std::vector<T> spare(size);
    for (std::size_t cycle = first; cycle < last; ++cycle) {
      const std::size_t start = starts[cycle];
      std::copy_n(row.data() + start * size, size, spare.begin());
      std::size_t to = start;
      for (std::size_t from; (from = forward ? gray(to) : gray_inverse(to)) != start; to = from)
        std::copy_n(row.data() + from * size, size, row.data() + to * size);
      std::copy(spare.begin(), spare.end(), row.data() + to * size);
    }
  });
}

// forward: new[k] = old[gray(k)]. The step within blocks needs the block's number after (forward) or before
// (backward) the blocks move, hence the order.
template <class T>
void gray_permute(std::span<T> row, int n, bool forward, const Workers& workers) {
  const int bits = std::min(n, kOrderingBlockBits);
  if (forward && n > bits) gray_of_blocks(row, bits, true, workers);
  gray_within_blocks(row, bits, forward, workers);
  if (!forward && n > bits) gray_of_blocks(row, bits, false, workers);
}

template <class T>
void reorder_row(std::span<T> row, int n, Ordering ordering, Reorder direction, const Workers& workers) {
  const bool gray_code = ordering == Ordering::sequency;
  if (gray_code && direction == Reorder::to_natural) gray_permute(row, n, false, workers);
  reverse_index_bits(row, n, workers);
  if (gray_code && direction == Reorder::from_natural) gray_permute(row, n, true, workers);
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
