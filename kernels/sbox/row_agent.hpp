// A row of the difference distribution table in a block's shared memory, and its transform over b, a row of
// the autocorrelation table.
//
// A word of the tile has the counters of the pairs {x, x + a} with S(x) + S(x + a) = b and of those with
// b + 2^tile_bits, in the form of packed.hpp: at most 2^15 pairs up to 16 inputs.
#pragma once

#include "kernels/sbox/packed.hpp"

namespace fugu::kernels {

// Entries of at most this many pairs are counted in shared memory; a row has few larger ones.
inline constexpr std::uint32_t kNearPairs = 1024;

// One thread's tallies of the entries with 1 to 3 pairs.
struct PairTally {
  std::uint32_t found[3] = {};  // entries of 1, 2 and 3 pairs

  // Adds an entry; calls visit(pairs) if it has more than 3 pairs.
  template <class Visit>
  FUGU_HD void add(std::uint32_t pairs, Visit visit) {
    FUGU_UNROLL
    for (unsigned i = 0; i < 3; ++i) found[i] += pairs == i + 1 ? 1u : 0u;
    if (pairs > 3) visit(pairs);
  }
};

// Returns x of a pair {x, x + a}: the number of the pair with a bit 0 inserted at the highest bit of a.
FUGU_HD std::uint32_t pair_member(std::uint32_t pair, int highest) {
  const std::uint32_t below = pair & ((std::uint32_t{1} << highest) - 1);
  return (pair - below) << 1 | below;
}

FUGU_HD int highest_bit(std::uint32_t a) {
#if defined(__CUDA_ARCH__)
  return 31 - __clz(static_cast<int>(a));
#else
  return 31 - __builtin_clz(a);
#endif
}

// Computes b[i] = S(x) + S(x + a) for the pairs numbered first + i * step.
template <unsigned step, unsigned count, class Value>
FUGU_HD void sums_of_pairs(const Value* values, std::uint32_t first, std::uint32_t a, int highest,
                           std::uint32_t (&b)[count]) {
  const std::uint32_t start = pair_member(first, highest);
  if (first % (count * step) < step && std::uint32_t{1} << highest >= count * step) {
    // The members x are `step` apart, too, and the offsets of their partners depend on a alone.
    const Value* const members = values + start;
    FUGU_UNROLL
    for (unsigned i = 0; i < count; ++i)
      b[i] = static_cast<std::uint32_t>(members[i * step]) ^ values[start ^ a ^ i * step];
    return;
  }
  FUGU_UNROLL
  for (unsigned i = 0; i < count; ++i) {
    const std::uint32_t x = pair_member(first + i * step, highest);
    b[i] = static_cast<std::uint32_t>(values[x]) ^ values[x ^ a];
  }
}

// Calls visit(b) for the pairs {x, x + a} numbered first, first + step, ... below `last`, where b is an array
// of S(x) + S(x + a) for kPairsAtOnce pairs or one. All values are read before the visit, since the compiler
// cannot know that a visit does not write to them.
inline constexpr unsigned kPairsAtOnce = 8;

template <unsigned step, class Value, class Visit>
FUGU_HD void for_each_pairs(const Value* values, std::uint32_t first, std::uint32_t last, std::uint32_t a,
                            Visit visit) {
  const int highest = highest_bit(a);
  for (; first + (kPairsAtOnce - 1) * step < last; first += kPairsAtOnce * step) {
    std::uint32_t b[kPairsAtOnce];
    sums_of_pairs<step>(values, first, a, highest, b);
    visit(b);
  }
  for (; first < last; first += step) {
    std::uint32_t b[1];
    sums_of_pairs<step>(values, first, a, highest, b);
    visit(b);
  }
}

// Like for_each_pairs(), but calls visit(b) for each pair. It has no branch: after a branch, the compiler
// computes the address of the shared memory again.
template <unsigned step, class Value, class Visit>
FUGU_HD void for_each_pair(const Value* values, std::uint32_t first, std::uint32_t last, std::uint32_t a,
                           Visit visit) {
  for_each_pairs<step>(values, first, last, a, [&]<unsigned count>(const std::uint32_t(&b)[count]) {
    FUGU_UNROLL
    for (unsigned i = 0; i < count; ++i) visit(b[i]);
  });
}

template <int tile_bits>
class RowThread {
 public:
  using Pass = ContiguousPass<std::int32_t, tile_bits, 5>;
  using Tile = typename Pass::Tile;
  static constexpr unsigned kThreads = Tile::kThreads;
  static constexpr Walk kWalk = Walk::to_lowest;
  static constexpr StageRange kStages{0, tile_bits};
  static constexpr std::uint32_t kWords = std::uint32_t{1} << tile_bits;

  FUGU_HD explicit RowThread(unsigned thread) : thread_(thread) {}

  template <class Visit>
  FUGU_HD void for_each_pair(const std::uint16_t* values, int inputs, std::uint32_t a, Visit visit) const {
    kernels::for_each_pair<kThreads>(values, thread_, std::uint32_t{1} << (inputs - 1), a, visit);
  }

  // Counts the thread's pairs. add(index, word) adds atomically to a word of the shared memory.
  template <class Add>
  FUGU_HD void count(const std::uint16_t* values, int inputs, std::uint32_t a, Add add) const {
    for_each_pair(values, inputs, a, [&](std::uint32_t b) { add(word_of(b), one_of(b)); });
  }

  // Returns the least weight of b over this thread's pairs.
  FUGU_HD std::uint32_t lightest(const std::uint16_t* values, int inputs, std::uint32_t a) const {
    std::uint32_t least = kNoWeight;
    for_each_pair(values, inputs, a, [&](std::uint32_t b) {
      const auto weight = static_cast<std::uint32_t>(ones(b));
      least = weight < least ? weight : least;
    });
    return least;
  }

  // Returns delta(a,0) of a row that has been counted.
  FUGU_HD static std::uint32_t zero_of(const std::int32_t* shared) {
    return 2 * (static_cast<std::uint32_t>(shared[0]) & 0xffffu);
  }

  FUGU_HD void take(const std::int32_t* shared) { tile_.get(shared, thread_, Pass::first_window(kWalk)); }

  // Tallies the counters that were taken; calls visit(pairs) for those of more than 3 pairs.
  template <class Visit>
  FUGU_HD void tally(PairTally& tally, const Visit& visit) const {
    FUGU_UNROLL
    for (const std::int32_t two : tile_.x) {
      const auto word = static_cast<std::uint32_t>(two);
      tally.add(word & 0xffffu, visit);
      tally.add(word >> 16, visit);
    }
  }

  // Transforms the counters taken, to the walk's last window.
  template <int phase>
  FUGU_HD void step(std::int32_t* shared) {
    Pass::template step<kWalk, phase>(tile_, shared, thread_, kStages);
  }

  // Returns whether an r(a,b) of this thread is not 0, for a b that is not a multiple of 2^outputs. Call
  // before store(): a word is 0 when the two values that the last stage computes from it are 0.
  FUGU_HD bool has_nonzero(int outputs) const {
    const std::uint32_t used = ((std::uint32_t{1} << outputs) - 1) & (kWords - 1);
    const unsigned first = Tile::tile_index(thread_, 0);
    bool nonzero = false;
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j) nonzero |= tile_.x[j] != 0 && ((first + j) & used) != 0;
    if (first == 0 && outputs > tile_bits) nonzero |= low_of(tile_.x[0]) != high_of(tile_.x[0]);
    return nonzero;
  }

  // Writes |r(a,b)| / 2, two per word, to a 16-byte aligned row. Neighbouring threads write neighbouring
  // words: consecutive words per thread would take twice as long.
  FUGU_HD void store(std::uint32_t* row) const {
    struct alignas(16) Four {
      std::uint32_t words[4];
    };
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; j += 4) {
      Four four;
      FUGU_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        const std::int32_t u = low_of(tile_.x[j + i]);
        // |u| + |v| <= 2^15: v is 0 if u = -2^15, which is also read instead of 2^15.
        const std::int32_t v = u == -0x8000 ? 0 : high_of(tile_.x[j + i]);
        four.words[i] = magnitude(u + v) | magnitude(u - v) << 16;
      }
      reinterpret_cast<Four*>(row)[j / 4 * kThreads + thread_] = four;
    }
  }

 private:
  // The word that holds the counter of b, and 1 at the counter's place in it.
  FUGU_HD static unsigned word_of(std::uint32_t b) { return Tile::padded(b & (kWords - 1)); }
  FUGU_HD static std::uint32_t one_of(std::uint32_t b) { return std::uint32_t{1} << (b >> tile_bits << 4); }

  unsigned thread_;
  Tile tile_;
};

// Returns the column of the low half of word `word` of a stored row of 2^(tile_bits + 1) values. The column
// of the high half is larger by 2^tile_bits.
FUGU_HD constexpr std::uint32_t stored_column(std::uint32_t word, int tile_bits) {
  const std::uint32_t four = word >> 2;
  const int thread_bits = tile_bits - 5;
  return (four & ((std::uint32_t{1} << thread_bits) - 1)) << 5 | four >> thread_bits << 2 | (word & 3);
}

// One thread's sums over some rows, for one column b.
struct ColumnSums {
  std::uint32_t largest = 0;
  std::uint32_t structures = 0;
  std::uint64_t squares = 0;

  FUGU_HD void add(std::uint32_t magnitude, std::uint32_t whole) {
    if (magnitude > largest) largest = magnitude;
    structures += magnitude == whole ? 1u : 0u;
    squares += static_cast<std::uint64_t>(magnitude) * magnitude;
  }
};

// Returns wt(a) + wt(b).
FUGU_HD std::uint32_t weight_of_entry(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(ones(a) + ones(b));
}

}  // namespace fugu::kernels
