// Moving a spectrum between its orderings, in place.
//
// sequency = bit reversal, then Gray code. Both are done block by block so that large rows stay at memory
// speed: reversal swaps tiles whose high and low index bits trade places; the Gray code permutes whole blocks
// by their high bits and, within a block, depends on them in one bit only.
#include <algorithm>
#include <cstring>
#include <vector>

#include "fugu/core/butterfly.hpp"
#include "fugu/spectral/walsh.hpp"

namespace fugu::spectral {
namespace {

constexpr int kTileBits = 5;

template <class T>
void reverse_small(std::span<T> row, int n) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t j = core::reverse_bits(i, n);
    if (i < j) std::swap(row[i], row[j]);
  }
}

// Swaps the tile of middle bits `from` with that of `to`: element (high, low) goes to (reversed low, reversed
// high).
template <class T>
void swap_tiles(T* row, int n, std::size_t from, std::size_t to) {
  constexpr std::size_t kSide = std::size_t{1} << kTileBits;
  T tile[kSide][kSide];
  const auto at = [&](std::size_t high, std::size_t middle) {
    return row + (high << (n - kTileBits)) + (middle << kTileBits);
  };
  for (std::size_t high = 0; high < kSide; ++high)
    std::memcpy(tile[high], at(high, from), sizeof(tile[high]));
  std::size_t reversed[kSide];
  for (std::size_t i = 0; i < kSide; ++i) reversed[i] = core::reverse_bits(i, kTileBits);
  for (std::size_t high = 0; high < kSide; ++high) {
    T* target = at(high, to);
    for (std::size_t low = 0; low < kSide; ++low) {
      if (from == to) {
        target[low] = tile[reversed[low]][reversed[high]];
      } else {
        std::swap(target[low], tile[reversed[low]][reversed[high]]);
      }
    }
  }
  if (from == to) return;
  for (std::size_t high = 0; high < kSide; ++high)
    std::memcpy(at(high, from), tile[high], sizeof(tile[high]));
}

template <class T>
void reverse_index_bits(std::span<T> row, int n) {
  if (n < 2 * kTileBits) return reverse_small(row, n);
  const int middle_bits = n - 2 * kTileBits;
  for (std::size_t from = 0; from < std::size_t{1} << middle_bits; ++from) {
    const std::size_t to = core::reverse_bits(from, middle_bits);
    if (from <= to) swap_tiles(row.data(), n, from, to);
  }
}

constexpr int kBlockBits = 12;

std::size_t gray(std::size_t x) {
  return core::gray_code(x);
}

std::size_t gray_inverse(std::size_t x) {
  for (int shift = 1; shift < 64; shift *= 2) x ^= x >> shift;
  return x;
}

// new[k] = old[source(k)] within each block, the block's lowest high bit reaching its top index bit.
template <class T>
void gray_within_blocks(std::span<T> row, int bits, bool forward) {
  const std::size_t size = std::size_t{1} << bits;
  std::vector<T> old(size);
  for (std::size_t block = 0; block < row.size() / size; ++block) {
    T* at = row.data() + block * size;
    std::copy(at, at + size, old.begin());
    const std::size_t carry = block % 2 * (size / 2);
    for (std::size_t k = 0; k < size; ++k) at[k] = old[forward ? gray(k) ^ carry : gray_inverse(k ^ carry)];
  }
}

// new block[h] = old block[source(h)], one cycle at a time through a spare block.
template <class T>
void gray_of_blocks(std::span<T> row, int bits, bool forward) {
  const std::size_t size = std::size_t{1} << bits;
  const std::size_t blocks = row.size() / size;
  std::vector<bool> done(blocks);
  std::vector<T> spare(size);
  for (std::size_t start = 0; start < blocks; ++start) {
    if (done[start]) continue;
    std::copy_n(row.data() + start * size, size, spare.begin());
    std::size_t to = start;
    for (;;) {
      done[to] = true;
      const std::size_t from = forward ? gray(to) : gray_inverse(to);
      if (from == start) break;
      std::copy_n(row.data() + from * size, size, row.data() + to * size);
      to = from;
    }
    std::copy(spare.begin(), spare.end(), row.data() + to * size);
  }
}

// forward: new[k] = old[gray(k)]. The step within blocks needs the block's number as it is after (forward) or
// before (backward) the blocks move, hence the order.
template <class T>
void gray_permute(std::span<T> row, int n, bool forward) {
  const int bits = std::min(n, kBlockBits);
  if (forward && n > bits) gray_of_blocks(row, bits, true);
  gray_within_blocks(row, bits, forward);
  if (!forward && n > bits) gray_of_blocks(row, bits, false);
}

}  // namespace

template <class T>
void to_ordering(std::span<T> row, Ordering ordering) {
  const int n = log2_exact(row.size());
  if (ordering == Ordering::natural || n < 2) return;
  reverse_index_bits(row, n);
  if (ordering == Ordering::sequency) gray_permute(row, n, true);
}

template <class T>
void from_ordering(std::span<T> row, Ordering ordering) {
  const int n = log2_exact(row.size());
  if (ordering == Ordering::natural || n < 2) return;
  if (ordering == Ordering::sequency) gray_permute(row, n, false);
  reverse_index_bits(row, n);
}

#define FUGU_INSTANTIATE(T)                          \
  template void to_ordering(std::span<T>, Ordering); \
  template void from_ordering(std::span<T>, Ordering);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral
