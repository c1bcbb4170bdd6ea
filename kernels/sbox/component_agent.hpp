// W(., b) / 2 for one component b of a box after the other, in a block's shared memory.
//
// A word of the tile holds the sums for x and for x + 2^tile_bits in the form of packed.hpp; the last stage
// is between the two integers of a word. The results of the first stage are even, so half of each is stored:
// the values stay below 2^15 up to 16 inputs.
#pragma once

#include "kernels/sbox/packed.hpp"

namespace fugu::kernels {

// Computes the spectra of components gray(i), for consecutive i. Coordinates have 2^(tile_bits + 1) points.
template <int tile_bits>
class ComponentThread {
 public:
  using Pass = ContiguousPass<std::int32_t, tile_bits, 5>;
  using Tile = typename Pass::Tile;
  static constexpr unsigned kThreads = Tile::kThreads;
  static constexpr std::uint32_t kTop = std::uint32_t{1} << tile_bits;

  FUGU_HD ComponentThread(const std::uint32_t* coordinates, unsigned thread, std::uint32_t first)
      : coordinates_(coordinates),
        thread_(thread),
        mask_(static_cast<std::uint32_t>(core::gray_code(first))) {
    for (int j = 0; j < 32; ++j) {
      if ((mask_ >> j & 1) != 0) add(j);
    }
  }

  FUGU_HD std::uint32_t mask() const { return mask_; }

  // Advances to component gray(i). `bit` is the lowest set bit of i.
  FUGU_HD void advance(int bit) {
    mask_ ^= std::uint32_t{1} << bit;
    add(bit);
  }

  // Computes the first stage from signs. The tile is then in the walk's first window.
  FUGU_HD void load() {
    const std::uint32_t halves[2] = {low_halves(low_, high_), high_halves(low_, high_)};
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
    Pass::template step<Walk::from_lowest, phase>(tile_, shared, thread_, StageRange{1, tile_bits});
  }

  // Computes the last stage and returns max |W| / 2 of the thread. If all integers of its words are small,
  // calls near(offsets) for each pair of values, with the byte offsets of their counters as two 16-bit
  // halves, which fit the registers of the words; otherwise calls far(W / 2) for each value.
  template <class Near, class Far>
  FUGU_HD std::uint32_t find(const Near& near, const Far& far) {
    std::uint32_t bits = 0;
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j) {
      tile_.x[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(tile_.x[j]) + kBias);
      bits |= static_cast<std::uint32_t>(tile_.x[j]);
    }
    near_ = (bits & ~(2 * kBias - kBoth)) == 0;
    return near_ ? find_near(near) : find_far(far);
  }

  // Call this and the following functions after find().
  // Returns whether this thread has a W != 0 at a mask of one bit.
  FUGU_HD bool has_one_bit() const {
    if (thread_ != 0) return (thread_ & (thread_ - 1)) == 0 && value(0, 0) != 0;
    bool any = value(0, 1) != 0;
    FUGU_UNROLL
    for (unsigned bit = 0; bit < 5; ++bit) any |= value(1u << bit, 0) != 0;
    return any;
  }

  // Returns the least weight of a mask other than 0 with W != 0, or kNoWeight.
  FUGU_HD std::uint32_t lightest() const {
    std::uint32_t lightest = kNoWeight;
    for_each([&](std::int32_t half, std::uint32_t a) {
      const auto weight = static_cast<std::uint32_t>(ones(a));
      if (half != 0 && a != 0 && weight < lightest) lightest = weight;
    });
    return lightest;
  }

  // Returns 2 a + (W < 0) for the first a of this thread with |W| / 2 = `largest`, or kNoInput.
  FUGU_HD std::uint32_t first_place(std::uint32_t largest) const {
    std::uint32_t place = kNoInput;
    for_each([&](std::int32_t half, std::uint32_t a) {
      const std::uint32_t here = 2 * a + (half < 0 ? 1u : 0u);
      if (magnitude(half) == largest && here < place) place = here;
    });
    return place;
  }

  // Returns whether W(0,b) = 0. Call for thread 0.
  FUGU_HD bool balanced() const { return value(0, 0) == 0; }

 private:
  static constexpr std::uint32_t kBoth = 0x10001u;
  static constexpr std::uint32_t kBias = kNearHalf / 2 * kBoth;  // added to both integers of a word

  // Turns two words (u, v), biased, into u + v of both and u - v of both, as offsets of counters.
  template <class Near>
  FUGU_HD std::uint32_t find_near(const Near& near) {
    const auto first = static_cast<std::uint32_t>(tile_.x[0]);
    shift_ = near_shift((first ^ first >> 16) & 1) * kBoth;
    std::uint32_t most = 0;
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; j += 2) {
      const auto one = static_cast<std::uint32_t>(tile_.x[j]),
                 other = static_cast<std::uint32_t>(tile_.x[j + 1]);
      const std::uint32_t u = low_halves(one, other), v = high_halves(one, other);
      const std::uint32_t sum = 2 * u + (2 * v + shift_);
      const std::uint32_t difference = 2 * u + (shift_ + 2 * kNearHalf * kBoth - 2 * v);
      near(sum), near(difference);
      tile_.x[j] = static_cast<std::int32_t>(sum);
      tile_.x[j + 1] = static_cast<std::int32_t>(difference);
    }
    for_each([&](std::int32_t half, std::uint32_t) {
      if (magnitude(half) > most) most = magnitude(half);
    });
    return most;
  }

  template <class Far>
  FUGU_HD std::uint32_t find_far(const Far& far) {
    std::uint32_t most = 0;
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j) {
      tile_.x[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(tile_.x[j]) - kBias);
      const std::int32_t u = low_of(tile_.x[j]), v = high_of(tile_.x[j]);
      const std::uint32_t larger = magnitude(u) + magnitude(v);
      if (larger > most) most = larger;
      far(u + v), far(u - v);
    }
    return most;
  }

  FUGU_HD std::int32_t half_of(std::uint32_t offset) const {
    return static_cast<std::int32_t>((offset - (shift_ & 0xffffu)) / 2) - kNearHalf;
  }

  // Returns W / 2 for the low (top = 0) or high value of word j.
  FUGU_HD std::int32_t value(unsigned j, unsigned top) const {
    if (near_) {
      const auto word = static_cast<std::uint32_t>(tile_.x[(j & ~1u) + top]);
      return half_of(j % 2 == 0 ? word & 0xffffu : word >> 16);
    }
    const std::int32_t u = low_of(tile_.x[j]), v = high_of(tile_.x[j]);
    return top == 0 ? u + v : u - v;
  }

  // Calls visit(W / 2, a) for each value.
  template <class Visit>
  FUGU_HD void for_each(const Visit& visit) const {
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j) {
      const std::uint32_t a = thread_ + (j << Tile::kTopWindow);
      visit(value(j, 0), a);
      visit(value(j, 1), a + kTop);
    }
  }

  FUGU_HD void add(int coordinate) {
    const std::uint32_t* words = coordinates_ + static_cast<std::size_t>(coordinate) * 2 * kThreads + thread_;
    low_ ^= words[0];
    high_ ^= words[kThreads];
  }

  const std::uint32_t* coordinates_;
  unsigned thread_;
  std::uint32_t mask_;
  std::uint32_t low_ = 0;   // signs of the points 32 thread + 0..31
  std::uint32_t high_ = 0;  // signs of the points 2^tile_bits above
  Tile tile_;
  std::uint32_t shift_ = 0;  // near_shift() of all values, in both halves
  bool near_ = false;
};

}  // namespace fugu::kernels
