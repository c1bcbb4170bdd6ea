// W(., b) / 2 of one component b of a box after the other, the whole spectrum in a block's shared memory.
//
// A word of the tile holds the sums for x and for x + 2^tile_bits in the form of packed.hpp: half of the
// spectrum's bits are a tile's, and the last stage is between the two integers of a word. What the first
// stage makes is even, so that halves of it are kept: they stay below 2^15 up to 16 inputs.
#pragma once

#include "fugu/core/butterfly.hpp"
#include "kernels/sbox/packed.hpp"
#include "kernels/sbox/sbox_launch.hpp"
#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

// What a thread finds in its part of the spectrum of a component.
struct ThreadFindings {
  std::uint32_t largest = 0;           // max |W| / 2
  std::uint32_t nonzero = 0;           // how many W differ from 0
  std::uint32_t lightest = kNoWeight;  // least weight of such an a != 0
};

template <int tile_bits>
class ComponentThread {
 public:
  using Pass = ContiguousPass<std::int32_t, tile_bits, 5>;
  using Tile = typename Pass::Tile;
  static constexpr unsigned kThreads = Tile::kThreads;
  static constexpr Walk kWalk = Walk::from_lowest;
  static constexpr StageRange kStages{1, tile_bits};
  static constexpr std::uint32_t kTop = std::uint32_t{1} << tile_bits;

  // Components gray(i) for consecutive i. Coordinates are of 2^(tile_bits + 1) points.
  FUGU_HD ComponentThread(const std::uint32_t* coordinates, unsigned thread, std::uint32_t first)
      : coordinates_(coordinates),
        thread_(thread),
        mask_(static_cast<std::uint32_t>(core::gray_code(first))) {
    for (int j = 0; j < 32; ++j) {
      if ((mask_ >> j & 1) != 0) add(j);
    }
  }

  FUGU_HD std::uint32_t mask() const { return mask_; }

  // To component i. `bit`: the lowest one of i.
  FUGU_HD void advance(int bit) {
    mask_ ^= std::uint32_t{1} << bit;
    add(bit);
  }

  // The first stage, from signs. The tile is then in the walk's first window.
  FUGU_HD void load() {
    const std::uint32_t halves[2] = {(low_ & 0xffffu) | high_ << 16, low_ >> 16 | (high_ & 0xffff0000u)};
    FUGU_UNROLL
    for (int j = 0; j < 32; j += 2) {
      const std::uint32_t even = halves[j / 16] >> (j % 16) & 0x10001u;
      const std::uint32_t odd = halves[j / 16] >> (j % 16 + 1) & 0x10001u;
      tile_.x[j] = static_cast<std::int32_t>(0x10001u - even - odd);
      tile_.x[j + 1] = static_cast<std::int32_t>(odd - even);
    }
  }

  template <int phase>
  FUGU_HD void step(std::int32_t* shared) {
    Pass::template step<kWalk, phase>(tile_, shared, thread_, kStages);
  }

  // The input mask of the low value in word j; that of the high one is kTop above.
  FUGU_HD std::uint32_t input_mask(unsigned j) const { return thread_ + (j << Tile::kTopWindow); }

  // visit(W / 2) for each value that is not 0.
  template <class Visit>
  FUGU_HD ThreadFindings find(Visit visit) const {
    ThreadFindings found;
    std::uint32_t nonzero[2] = {0, 0};
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j) {
      const std::int32_t u = low_of(tile_.x[j]);
      const std::int32_t v = high_of(tile_.x[j]);
      const std::uint32_t largest = magnitude(u) + magnitude(v);
      if (largest > found.largest) found.largest = largest;
      take(u + v, j, nonzero[0], visit);
      take(u - v, j, nonzero[1], visit);
    }
    found.nonzero = static_cast<std::uint32_t>(ones(nonzero[0]) + ones(nonzero[1]));
    if (thread_ == 0) nonzero[0] &= ~std::uint32_t{1};  // a = 0 has no weight that counts
    found.lightest = lightest_index(thread_, nonzero[0], nonzero[1]);
    return found;
  }

  // The first a of this thread with |W| / 2 = `largest`, times two, and one more where W is negative;
  // kNoInput where there is none.
  FUGU_HD std::uint32_t first_place(std::uint32_t largest) const {
    std::uint32_t place = kNoInput;
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j) {
      const std::int32_t u = low_of(tile_.x[j]);
      const std::int32_t v = high_of(tile_.x[j]);
      note(u + v, input_mask(j), largest, place);
      note(u - v, input_mask(j) + kTop, largest, place);
    }
    return place;
  }

  // Whether W(0, b) = 0, for the thread 0.
  FUGU_HD bool balanced() const { return low_of(tile_.x[0]) + high_of(tile_.x[0]) == 0; }

 private:
  FUGU_HD void add(int coordinate) {
    const std::uint32_t* words = coordinates_ + static_cast<std::size_t>(coordinate) * 2 * kThreads + thread_;
    low_ ^= words[0];
    high_ ^= words[kThreads];
  }

  template <class Visit>
  FUGU_HD static void take(std::int32_t half, unsigned j, std::uint32_t& nonzero, Visit& visit) {
    if (half == 0) return;
    nonzero |= std::uint32_t{1} << j;
    visit(half);
  }

  FUGU_HD static void note(std::int32_t half, std::uint32_t a, std::uint32_t largest, std::uint32_t& place) {
    const std::uint32_t here = 2 * a + (half < 0 ? 1u : 0u);
    if (magnitude(half) == largest && here < place) place = here;
  }

  const std::uint32_t* coordinates_;
  unsigned thread_;
  std::uint32_t mask_;
  std::uint32_t low_ = 0;   // signs of the points 32 thread + 0..31
  std::uint32_t high_ = 0;  // those 2^tile_bits above
  Tile tile_;
};

}  // namespace fugu::kernels
