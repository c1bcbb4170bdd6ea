// max |W(., b)| for components b of a box with 8 inputs: one thread per component, all 256 values in its
// registers.
//
// A Pair holds two of the four results of stages 0 and 1 for four points. They are never combined again, so a
// pair passes through stages 2 to 7 like one number. Stage 7 is |u| + |v|, the larger of |u + v| and
// |u - v|. All values are integers of at most 256 in magnitude, which 16-bit floating point holds exactly.
#pragma once

#include "kernels/sbox/box_agent.hpp"
#include "kernels/sbox/row_agent.hpp"

namespace fugu::kernels {

inline constexpr int kProfileQuads = 64;  // groups of four points

template <class Pair, unsigned count>
struct alignas(sizeof(Pair) * count) Results {
  Pair pairs[count];
};

// The results of the first stages for four or eight signs; bit i of `signs` is the sign of point i. Look-ups
// of eight signs cause bank conflicts, those of four do not.
template <class Pair>
struct SignTable {
  static constexpr unsigned kEntries = 256;
  static constexpr int kWordsByEight = 2;  // words of a component looked up by eight; more would be slower

  Results<Pair, 2> fours[16];
  Results<Pair, 4> eights[kEntries];

  // Fills the entry of `signs` in both tables.
  FUGU_HD void fill(std::uint32_t signs) {
    const Results<Pair, 2> low = four(signs), high = four(signs >> 4);
    FUGU_UNROLL
    for (int i = 0; i < 2; ++i) {
      eights[signs].pairs[2 * i] = low.pairs[i] + high.pairs[i];
      eights[signs].pairs[2 * i + 1] = low.pairs[i] - high.pairs[i];
    }
    if (signs < 16) fours[signs] = low;
  }

 private:
  FUGU_HD static Results<Pair, 2> four(std::uint32_t signs) {
    const auto sign = [&](unsigned i) { return (signs >> i & 1) == 0 ? 1 : -1; };
    const int sums[2] = {sign(0) + sign(1), sign(2) + sign(3)};
    const int differences[2] = {sign(0) - sign(1), sign(2) - sign(3)};
    return {{Pair(sums[0] + sums[1], differences[0] + differences[1]),
             Pair(sums[0] - sums[1], differences[0] - differences[1])}};
  }
};

// Byte `index` of a word: one instruction instead of a shift and a mask.
FUGU_HD std::uint32_t byte_of(std::uint32_t word, unsigned index) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(word, 0, 0x4440 + index);
#else
  return word >> (8 * index) & 0xff;
#endif
}

// The truth tables of the 32 coordinates.
using CoordinateWords = std::uint32_t[kProfileCoordinates][kProfileWords];

// Computes one thread's components, b = gray(i) 2^kProfileLaneBits + lane for consecutive i.
template <class Pair>
class ProfileThread {
 public:
  FUGU_HD ProfileThread(const CoordinateWords& coordinates, std::uint32_t lane, std::uint32_t first)
      : coordinates_(coordinates),
        mask_(static_cast<std::uint32_t>(core::gray_code(first) << kProfileLaneBits) | lane) {
    FUGU_UNROLL
    for (int word = 0; word < kProfileWords; ++word) signs_[word] = 0;
    for (int j = 0; j < kProfileCoordinates; ++j) {
      if ((mask_ >> j & 1) != 0) add(j);
    }
  }

  FUGU_HD std::uint32_t mask() const { return mask_; }

  // Advances to the next component, number i; `bit` is the lowest set bit of i.
  FUGU_HD void advance(int bit) {
    mask_ ^= std::uint32_t{1} << (bit + kProfileLaneBits);
    add(bit + kProfileLaneBits);
  }

  // Returns max |W| of the component.
  FUGU_HD int largest(const SignTable<Pair>& table) const {
    Pair x[2 * kProfileQuads];
    FUGU_UNROLL
    for (int word = 0; word < kProfileWords; ++word) {
      if (word < SignTable<Pair>::kWordsByEight) {
        look_up_eights(table, word, x);
      } else {
        look_up_fours(table, word, x);
        stage(x, 1, 8 * word, 8 * word + 8);
      }
    }
    FUGU_UNROLL
    for (int distance = 2; distance < kProfileQuads / 2; distance *= 2) stage(x, distance, 0, kProfileQuads);
    return last_stage(x).largest();
  }

 private:
  FUGU_HD void add(int coordinate) {
    FUGU_UNROLL
    for (int word = 0; word < kProfileWords; ++word) signs_[word] ^= coordinates_[coordinate][word];
  }

  // Computes a stage for the quads [from, to) and for their second results.
  FUGU_HD static void stage(Pair (&x)[2 * kProfileQuads], int distance, int from, int to) {
    FUGU_UNROLL
    for (int i = 0; i < 2 * kProfileQuads; ++i) {
      const int quad = i % kProfileQuads;
      if (quad < from || quad >= to || (i & distance) != 0) continue;
      const Pair sum = x[i] + x[i + distance];
      x[i + distance] = x[i] - x[i + distance];
      x[i] = sum;
    }
  }

  // The bytes of `even` and `odd` are indices times eight.
  FUGU_HD void look_up_fours(const SignTable<Pair>& table, int word, Pair (&x)[2 * kProfileQuads]) const {
    const std::uint32_t even = signs_[word] << 3 & 0x78787878u, odd = signs_[word] >> 1 & 0x78787878u;
    FUGU_UNROLL
    for (unsigned i = 0; i < 8; ++i) {
      const Results<Pair, 2> entry = entry_at(table.fours, byte_of(i % 2 == 0 ? even : odd, i / 2));
      const unsigned quad = 8 * static_cast<unsigned>(word) + i;
      x[quad] = entry.pairs[0];
      x[quad + kProfileQuads] = entry.pairs[1];
    }
  }

  FUGU_HD void look_up_eights(const SignTable<Pair>& table, int word, Pair (&x)[2 * kProfileQuads]) const {
    FUGU_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      const Results<Pair, 4> entry = table.eights[byte_of(signs_[word], i)];
      const unsigned quad = 8 * static_cast<unsigned>(word) + 2 * i;
      FUGU_UNROLL
      for (unsigned j = 0; j < 2; ++j) {
        x[quad + j] = entry.pairs[j];
        x[quad + kProfileQuads + j] = entry.pairs[2 + j];
      }
    }
  }

  // Returns entry `eighths` / 8. For pairs of four bytes, `eighths` is the entry's offset in bytes.
  FUGU_HD static const Results<Pair, 2>& entry_at(const Results<Pair, 2>* entries, std::uint32_t eighths) {
    return *reinterpret_cast<const Results<Pair, 2>*>(reinterpret_cast<const unsigned char*>(entries) +
                                                      eighths * (sizeof(Results<Pair, 2>) / 8));
  }

  // The maximum is taken in two independent chains.
  FUGU_HD static Pair last_stage(const Pair (&x)[2 * kProfileQuads]) {
    constexpr int kDistance = kProfileQuads / 2;
    Pair result[2] = {x[0].magnitudes_with(x[kDistance]), x[1].magnitudes_with(x[1 + kDistance])};
    FUGU_UNROLL
    for (int i = 2; i < 2 * kProfileQuads; ++i) {
      if ((i & kDistance) == 0) result[i % 2] = result[i % 2].larger(x[i].magnitudes_with(x[i + kDistance]));
    }
    return result[0].larger(result[1]);
  }

  const CoordinateWords& coordinates_;
  std::uint32_t mask_;
  std::uint32_t signs_[kProfileWords];
};

// Boxes of 8 inputs and 8 outputs, one per block: difference rows with counters private to a thread, and the
// degrees of the coordinates.
inline constexpr unsigned kSmallThreads = 128;
inline constexpr int kSmallBits = 8;
inline constexpr std::uint32_t kSmallPoints = 256;

// Counts the pairs of a row, one byte per b. The words of a thread are kSmallThreads apart, so that the
// threads of a warp use different banks.
class SmallRow {
 public:
  static constexpr unsigned kWords = kSmallPoints / 4;

  FUGU_HD SmallRow(std::uint32_t* counters, unsigned thread)
      : words_(counters + thread), bytes_(reinterpret_cast<std::uint8_t*>(words_)) {}

  // Returns max delta(a,b) over b.
  FUGU_HD std::uint32_t largest(const std::uint8_t* values, std::uint32_t a) const {
    for (unsigned w = 0; w < kWords; ++w) words_[w * kSmallThreads] = 0;
    const int highest = highest_bit(a);
    std::uint8_t most = 0;
    for (std::uint32_t pair = 0; pair < kSmallPoints / 2; ++pair) {
      const std::uint32_t x = pair_member(pair, highest);
      const std::uint32_t b = static_cast<std::uint32_t>(values[x]) ^ values[x ^ a];
      std::uint8_t& counter = bytes_[b / 4 * 4 * kSmallThreads + b % 4];
      counter = static_cast<std::uint8_t>(counter + 1);
      if (counter > most) most = counter;
    }
    return 2u * most;
  }

 private:
  std::uint32_t* words_;
  std::uint8_t* bytes_;
};

// Returns one more than the degree of a function of 8 variables.
FUGU_HD std::uint32_t small_degree_and_one(const std::uint32_t (&function)[kProfileWords]) {
  Parity form[kProfileWords];
  for (int w = 0; w < kProfileWords; ++w) form[w] = parity_of_word(function[w]);
  core::butterflies<3>(form, 0, 3);
  std::uint32_t largest = 0;
  for (int w = 0; w < kProfileWords; ++w) {
    const std::uint32_t here = degree_and_one(static_cast<std::uint32_t>(w), form[w], ~std::uint32_t{0});
    if (here > largest) largest = here;
  }
  return largest;
}

}  // namespace fugu::kernels
