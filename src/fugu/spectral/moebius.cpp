// The Moebius transform and the degree, on words and on all threads.
//
// The stages commute: those within blocks that fit a cache come first, then all others in tiles that are
// copied into one, so that there are two passes over memory.
#include "fugu/spectral/detail/packed_bits.hpp"

#include <bit>

namespace fugu::spectral {
namespace {

using detail::Workers;

constexpr int kBlockBits = 14;          // words: 128 KiB
constexpr std::size_t kTileWords = 16;  // width of a tile: two cache lines of a row
constexpr std::size_t kTilesAtATime = 16;

void stages_within_words(std::span<std::uint64_t> words, int variables) {
  constexpr std::uint64_t kLow[] = {0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu,
                                    0x00ff00ff00ff00ffu, 0x0000ffff0000ffffu, 0x00000000ffffffffu};
  for (int i = 0; i < std::min(variables, 6); ++i) {
    for (std::uint64_t& word : words) word ^= (word & kLow[i]) << (1 << i);
  }
}

// The stages that pair words at distances from `stride` up.
void stages_over_words(std::span<std::uint64_t> words, std::size_t stride) {
  for (; stride < words.size(); stride *= 2) {
    for (std::size_t block = 0; block < words.size(); block += 2 * stride) {
      for (std::size_t i = block; i < block + stride; ++i) words[i + stride] ^= words[i];
    }
  }
}

void blocks_pass(std::span<std::uint64_t> words, int variables, const Workers& workers) {
  const std::size_t size = std::min(words.size(), std::size_t{1} << kBlockBits);
  workers.for_ranges(words.size() / size, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t block = first; block < last; ++block) {
      const auto part = words.subspan(block * size, size);
      stages_within_words(part, variables);
      stages_over_words(part, 1);
    }
  });
}

// The stages over whole blocks.
void tiles_pass(std::span<std::uint64_t> words, const Workers& workers) {
  constexpr std::size_t kStride = std::size_t{1} << kBlockBits;
  const std::size_t rows = words.size() / kStride;
  if (rows < 2) return;
  workers.for_ranges(kStride / kTileWords, kTilesAtATime, [&](std::size_t first, std::size_t last) {
    std::vector<std::uint64_t> tile(rows * kTileWords);
    for (std::size_t column = first; column < last; ++column) {
      std::uint64_t* const at = words.data() + column * kTileWords;
      for (std::size_t row = 0; row < rows; ++row)
        std::copy_n(at + row * kStride, kTileWords, tile.data() + row * kTileWords);
      stages_over_words(tile, kTileWords);
      for (std::size_t row = 0; row < rows; ++row)
        std::copy_n(tile.data() + row * kTileWords, kTileWords, at + row * kStride);
    }
  });
}

// The largest popcount of the indices of the set bits of a word, which is not 0.
int degree_within(std::uint64_t word) {
  constexpr std::uint64_t kOfDegree[] = {0x0000000000000001u, 0x0000000100010116u, 0x0001011601161668u,
                                         0x0116166816686880u, 0x1668688068808000u, 0x6880800080000000u,
                                         0x8000000000000000u};
  int degree = 6;
  while ((word & kOfDegree[degree]) == 0) --degree;
  return degree;
}

int degree_of(std::span<const std::uint64_t> form, std::size_t first) {
  int degree = -1;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const int high = std::popcount(first + i);
    if (form[i] != 0 && high + 6 > degree) degree = std::max(degree, high + degree_within(form[i]));
  }
  return degree;
}

}  // namespace

void detail::moebius(std::span<std::uint64_t> words, int variables, const Workers& workers) {
  blocks_pass(words, variables, workers);
  tiles_pass(words, workers);
}

int detail::degree_of_form(std::span<const std::uint64_t> form, const Workers& workers) {
  std::atomic<int> degree = -1;
  workers.for_ranges(form.size(), std::size_t{1} << kBlockBits, [&](std::size_t first, std::size_t last) {
    const int here = degree_of(form.subspan(first, last - first), first);
    int largest = degree;
    while (here > largest && !degree.compare_exchange_weak(largest, here)) {
    }
  });
  return degree;
}

}  // namespace fugu::spectral
