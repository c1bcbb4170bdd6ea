// W(., b) / 2 for one component b of a box after the other, in a block's shared memory: the whole spectrum
// or, for more than 16 inputs, a row of it, the 2^16 values of masks a with the same high bits.
//
// A word of the tile holds the sums for x and for x + 2^tile_bits in the form of packed.hpp; the last stage
// is between the two integers of a word. The results of the first stage are even, so half of each is stored:
// the values stay below 2^15 up to 16 inputs.
#pragma once

#include "fugu/core/butterfly.hpp"
#include "kernels/sbox/half_places.hpp"
#include "kernels/sbox/packed.hpp"
#include "kernels/sbox/sbox_launch.hpp"
#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

template <int tile_bits>
class SpectrumThread {
 public:
  using Pass = ContiguousPass<std::int32_t, tile_bits, 5>;
  using Tile = typename Pass::Tile;
  static constexpr unsigned kThreads = Tile::kThreads;
  static constexpr Walk kWalk = Walk::from_lowest;
  static constexpr std::uint32_t kTop = std::uint32_t{1} << tile_bits;
  static constexpr std::uint32_t kOffsets = ~std::uint32_t{0};  // the bits of a counter's offset

  // Returns the input mask of the low value in word j, without the high bits of the row. The mask of the high
  // value is larger by kTop.
  FUGU_HD std::uint32_t input_mask(unsigned j) const { return thread_ + (j << Tile::kTopWindow); }

  // Computes the last stage and returns max |W| / 2 of the thread. If all integers of its words are small,
  // calls near(offsets) for each pair of values, with the byte offsets of their counters as two 16-bit
  // halves; otherwise calls far(W / 2) for each value, which is right if is_exact().
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

  // Call this and the following functions after find(). Returns whether no integer is so large that a
  // spectrum of more inputs might have exceeded 16 bits.
  FUGU_HD bool is_exact() const {
    bool exact = true;
    if (near_) return exact;
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j)
      exact &= magnitude(low_of(tile_.x[j])) < kExact && magnitude(high_of(tile_.x[j])) < kExact;
    return exact;
  }

  // The least weight of a mask other than 0 in the row, and whether this thread has a W != 0 at such a mask.
  FUGU_HD std::uint32_t least_weight() const {
    return above_ == 0 ? 1 : static_cast<std::uint32_t>(ones(above_));
  }
  FUGU_HD bool has_least_weight() const {
    if (above_ != 0) return thread_ == 0 && value(0, 0) != 0;
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

  // Returns whether W(0,b) = 0. Call for thread 0 and masks without high bits.
  FUGU_HD bool balanced() const { return value(0, 0) == 0; }

 protected:
  // `above` has the high bits of all masks.
  FUGU_HD explicit SpectrumThread(unsigned thread, std::uint32_t above = 0)
      : thread_(thread), above_(above) {}

  // `first_stage` is 1 if stage 0 was computed while the tile was filled.
  template <int phase>
  FUGU_HD void step_from(int first_stage, std::int32_t* shared) {
    Pass::template step<kWalk, phase>(tile_, shared, thread_, StageRange{first_stage, tile_bits});
  }

  unsigned thread_;
  std::uint32_t above_;
  Tile tile_;

 private:
  static constexpr std::uint32_t kBoth = 0x10001u;
  static constexpr std::uint32_t kBias = kNearHalf / 2 * kBoth;  // added to both integers of a word
  static constexpr std::uint32_t kExact = 1 << 13;

  // Turns two words (u, v), biased, into u + v of both and u - v of both, as offsets of counters.
  template <class Near>
  FUGU_HD std::uint32_t find_near(const Near& near) {
    const auto first = static_cast<std::uint32_t>(tile_.x[0]);
    shift_ = near_shift((first ^ first >> 16) & 1) * kBoth;
    std::uint32_t least = ~std::uint32_t{0}, most = 0;
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; j += 2) {
      const auto one = static_cast<std::uint32_t>(tile_.x[j]),
                 other = static_cast<std::uint32_t>(tile_.x[j + 1]);
      const std::uint32_t u = low_halves(one, other), v = high_halves(one, other);
      const std::uint32_t sum = 2 * u + (2 * v + shift_);
      const std::uint32_t difference = 2 * u + (shift_ + 2 * kNearHalf * kBoth - 2 * v);
      least = smaller_halves(least, sum, difference);
      most = larger_halves(most, sum, difference);
      near(sum), near(difference);
      tile_.x[j] = static_cast<std::int32_t>(sum);
      tile_.x[j + 1] = static_cast<std::int32_t>(difference);
    }
    const std::uint32_t below = magnitude(half_of(least & 0xffffu)),
                        above = magnitude(half_of(most & 0xffffu));
    const std::uint32_t below_too = magnitude(half_of(least >> 16)),
                        above_too = magnitude(half_of(most >> 16));
    const std::uint32_t larger = below > above ? below : above;
    const std::uint32_t larger_too = below_too > above_too ? below_too : above_too;
    return larger > larger_too ? larger : larger_too;
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

  template <class Visit>
  FUGU_HD void for_each(const Visit& visit) const {
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j) {
      visit(value(j, 0), above_ + input_mask(j));
      visit(value(j, 1), above_ + input_mask(j) + kTop);
    }
  }

  std::uint32_t shift_ = 0;  // near_shift() of all values, in both halves
  bool near_ = false;
};

// Computes whole spectra of components gray(i), for consecutive i. Coordinates have 2^(tile_bits + 1) points.
template <int tile_bits>
class ComponentThread : public SpectrumThread<tile_bits> {
 public:
  using Base = SpectrumThread<tile_bits>;

  FUGU_HD ComponentThread(const std::uint32_t* coordinates, unsigned thread, std::uint32_t first)
      : Base(thread), coordinates_(coordinates), mask_(static_cast<std::uint32_t>(core::gray_code(first))) {
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
      this->tile_.x[j] = static_cast<std::int32_t>(0x10001u - even - odd);
      this->tile_.x[j + 1] = static_cast<std::int32_t>(odd - even);
    }
  }

  template <int phase>
  FUGU_HD void step(std::int32_t* shared) {
    this->template step_from<phase>(1, shared);
  }

 private:
  FUGU_HD void add(int coordinate) {
    const std::uint32_t* words =
        coordinates_ + static_cast<std::size_t>(coordinate) * 2 * Base::kThreads + this->thread_;
    low_ ^= words[0];
    high_ ^= words[Base::kThreads];
  }

  const std::uint32_t* coordinates_;
  std::uint32_t mask_;
  std::uint32_t low_ = 0;   // signs of the points 32 thread + 0..31
  std::uint32_t high_ = 0;  // signs of the points 2^tile_bits above
};

// Counts, for each of 32 bits, the words that have it set among 2^bits - 1: the count is the sum of
// planes[i] 2^i.
template <int bits>
struct BitCounts {
  std::uint32_t planes[std::size_t{bits}];

  // Calls word(i) once for each i = first, first + 1, ...
  template <class Word>
  FUGU_HD BitCounts(unsigned first, const Word& word) {
    if constexpr (bits == 1) {
      planes[0] = word(first);
    } else {
      constexpr unsigned kHalf = (1u << (bits - 1)) - 1;
      const BitCounts<bits - 1> one(first, word), other(first + kHalf, word);
      std::uint32_t carry = word(first + 2 * kHalf);
      FUGU_UNROLL
      for (int i = 0; i < bits - 1; ++i) {
        const std::uint32_t a = one.planes[i], b = other.planes[i];
        planes[i] = a ^ b ^ carry;
        carry = (a & b) | (a & carry) | (b & carry);
      }
      planes[bits - 1] = carry;
    }
  }
};

// One row of the spectrum of a component of 16 + high_bits inputs. The first stages are those over the high
// bits of x: sums of 2^high_bits signs for each value of the low bits.
//
// The sums that are loaded are 2^(high_bits - 1) too large, which the last step corrects. Integers of a word
// that do not fit 16 bits are read wrongly, and is_exact() does not detect all of them. But if it holds for
// all threads, the numbers read instead of such integers are far smaller, so that the squares of all values
// of all rows add up to less than Parseval's 2^(2 inputs) per component.
template <int high_bits>
class ComponentRowThread : public SpectrumThread<15> {
 public:
  static constexpr std::uint32_t kRowWords = 1 << 11;
  static constexpr std::uint32_t kRows = 1 << high_bits;
  static constexpr std::uint32_t kOffsets = 0xfffcfffcu;  // values that were read wrongly may be even and odd

  // `words` is the truth table, kRows kRowWords words.
  FUGU_HD ComponentRowThread(const std::uint32_t* words, std::uint32_t row, unsigned thread)
      : SpectrumThread(thread, row << 16), words_(words), row_(row) {}

  FUGU_HD void load() {
    std::uint32_t low[4], high[4];  // nibbles of the points 4 t + r in word r, of the first and second half
    std::uint32_t last[2];
    nibbles(words_ + thread_, low, last[0]);
    nibbles(words_ + kRowWords / 2 + thread_, high, last[1]);
    FUGU_UNROLL
    for (unsigned j = 0; j < 32; ++j) {
      const std::uint32_t counts =
          j < 16 ? low_halves(low[j % 4], high[j % 4]) : high_halves(low[j % 4], high[j % 4]);
      const std::uint32_t more = j < 16 ? low_halves(last[0], last[1]) : high_halves(last[0], last[1]);
      tile_.x[j] =
          static_cast<std::int32_t>((counts >> (j % 16 / 4 * 4) & 0xf000fu) + (more >> j % 16 & 0x10001u));
    }
  }

  template <int phase>
  FUGU_HD void step(std::int32_t* shared) {
    step_from<phase>(0, shared);
    if (phase == 2 && thread_ == 0)
      tile_.x[0] = static_cast<std::int32_t>(static_cast<std::uint32_t>(tile_.x[0]) -
                                             (0x10001u << (high_bits - 1 + 15)));
  }

 private:
  // Counts, for each of 32 points, the signs that are +1 among all but the last; `last` says whether the last
  // one is.
  FUGU_HD void nibbles(const std::uint32_t* words, std::uint32_t (&counts)[4], std::uint32_t& last) const {
    const auto positive = [&](unsigned x) {
      const std::uint32_t sign = static_cast<std::uint32_t>(ones(row_ & x)) & 1;
      return words[x * kRowWords] ^ (sign - 1);
    };
    const BitCounts<high_bits> counted(0, positive);
    last = positive(kRows - 1);
    std::uint32_t planes[4] = {};
    FUGU_UNROLL
    for (int i = 0; i < high_bits; ++i) planes[i] = counted.planes[i];
    transpose_nibbles(planes, counts);
  }

  const std::uint32_t* words_;
  std::uint32_t row_;
};

}  // namespace fugu::kernels
