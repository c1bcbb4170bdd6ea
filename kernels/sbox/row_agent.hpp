// A row of the difference distribution table in a block's shared memory, and its transform over b, a row of
// the autocorrelation table.
//
// A word of the tile counts the pairs {x, x + a} with S(x) + S(x + a) = b and those with b + 2^tile_bits, in
// the form of packed.hpp: at most 2^15 pairs up to 16 inputs.
#pragma once

#include "kernels/sbox/packed.hpp"
#include "kernels/sbox/sbox_launch.hpp"
#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

// What a thread finds in its part of the row.
struct ThreadRow {
  std::uint32_t single = 0;            // entries with delta = 2
  std::uint32_t twice = 0;             // with delta = 4
  std::uint32_t zero = 0;              // delta(a,0), for the thread 0
  std::uint32_t lightest = kNoWeight;  // least weight of a b with delta(a,b) > 0
};

// x of pair p: p with a bit 0 put in at the highest bit of a.
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

template <int tile_bits>
class RowThread {
 public:
  using Pass = ContiguousPass<std::int32_t, tile_bits, 5>;
  using Tile = typename Pass::Tile;
  static constexpr unsigned kThreads = Tile::kThreads;
  static constexpr Walk kWalk = Walk::forward;
  static constexpr StageRange kStages{0, tile_bits};
  static constexpr std::uint32_t kWords = std::uint32_t{1} << tile_bits;

  FUGU_HD explicit RowThread(unsigned thread) : thread_(thread) {}

  FUGU_HD void clear(std::int32_t* shared) const {
    for (unsigned i = thread_; i < Tile::kSharedValues; i += kThreads) shared[i] = 0;
  }

  // add(index, word) adds to a word of the shared memory, whatever other threads do.
  template <class Add>
  FUGU_HD void count(const std::uint16_t* values, int inputs, std::uint32_t a, Add add) const {
    const int highest = highest_bit(a);
    for (std::uint32_t pair = thread_; pair < std::uint32_t{1} << (inputs - 1); pair += kThreads) {
      const std::uint32_t x = pair_member(pair, highest);
      const std::uint32_t b = static_cast<std::uint32_t>(values[x]) ^ values[x ^ a];
      add(Tile::padded(b & (kWords - 1)), std::uint32_t{1} << (b >> tile_bits << 4));
    }
  }

  FUGU_HD void take(const std::int32_t* shared) { tile_.get(shared, thread_, Pass::first_window(kWalk)); }

  // Of the counters taken: visit(delta / 2) for each above 2. Threads count the others, which are most of
  // them, on their own: they would meet in one place.
  template <class Visit>
  FUGU_HD ThreadRow find(Visit visit) const {
    ThreadRow found;
    std::uint32_t nonzero[2] = {0, 0};
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j) {
      const auto word = static_cast<std::uint32_t>(tile_.x[j]);
      note(word & 0xffffu, j, nonzero[0], found, visit);
      note(word >> 16, j, nonzero[1], found, visit);
    }
    if (thread_ == 0) found.zero = 2 * (static_cast<std::uint32_t>(tile_.x[0]) & 0xffffu);
    found.lightest = lightest_index(thread_, nonzero[0], nonzero[1]);
    return found;
  }

  // Of the counters taken, to the walk's last window.
  template <int phase>
  FUGU_HD void step(std::int32_t* shared) {
    Pass::template step<kWalk, phase>(tile_, shared, thread_, kStages);
  }

  // Writes |r(a,b)| / 2; whether one of them is not 0, b not a multiple of 2^outputs.
  FUGU_HD bool store(std::uint16_t* row, int outputs) const {
    const unsigned first = Tile::tile_index(thread_, Pass::last_window(kWalk));
    bool nonzero = false;
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j) {
      const std::uint32_t b = first + (j << Pass::last_window(kWalk));
      const std::int32_t u = low_of(tile_.x[j]);
      // |u| + |v| <= 2^15, so that u = -2^15, which is also read for 2^15, leaves nothing for v.
      const std::int32_t v = u == -0x8000 ? 0 : high_of(tile_.x[j]);
      const std::uint32_t below = magnitude(u + v);
      const std::uint32_t above = magnitude(u - v);
      row[b] = static_cast<std::uint16_t>(below);
      row[b + kWords] = static_cast<std::uint16_t>(above);
      const std::uint32_t used = (std::uint32_t{1} << outputs) - 1;
      nonzero |= (below != 0 && (b & used) != 0) || (above != 0 && ((b + kWords) & used) != 0);
    }
    return nonzero;
  }

 private:
  template <class Visit>
  FUGU_HD static void note(std::uint32_t pairs, unsigned j, std::uint32_t& nonzero, ThreadRow& found,
                           Visit& visit) {
    if (pairs == 0) return;
    nonzero |= std::uint32_t{1} << j;
    found.single += pairs == 1 ? 1u : 0u;
    found.twice += pairs == 2 ? 1u : 0u;
    if (pairs > 2) visit(pairs);
  }

  unsigned thread_;
  Tile tile_;
};

// One thread's share of some rows, for one column b.
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

}  // namespace fugu::kernels
