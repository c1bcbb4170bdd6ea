// Compares the agents of rows in bytes, on the host, with the autocorrelation rows of the CPU. Matrix
// instructions are computed element by element, as the PTX ISA defines them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "kernels/sbox/byte_row_agent.hpp"
#include "kernels/sbox/hadamard.hpp"
#include "spectral/fake_matrix_unit.hpp"
#include "spectral/made_boxes.hpp"
#include "support/many_cases.hpp"

namespace fugu::spectral {
namespace {

using test::box_of;
using test::Floats;
using test::multiply;
using test::random_box;
using test::Words2;
using test::Words4;

constexpr unsigned kWarp = 32;

TEST(HalfWords, HoldIntegersUpTo2048) {
  for (int value = -2048; value <= 2048; ++value) {
    const std::uint32_t half = kernels::nearest_half(static_cast<float>(value));
    ASSERT_EQ(kernels::value_of_half(half), static_cast<float>(value));
    ASSERT_EQ(kernels::doubled_half(half & 0x7fff), static_cast<std::uint32_t>(2 * std::abs(value)));
  }
  EXPECT_EQ(kernels::nearest_half(1), 0x3c00u);  // IEEE 754, binary16
  EXPECT_EQ(kernels::nearest_half(-2), 0xc000u);
  EXPECT_EQ(kernels::nearest_half(65504), 0x7bffu);
  EXPECT_EQ(kernels::nearest_half(std::ldexp(1.0F, -24)), 1u);
  EXPECT_EQ(kernels::nearest_half(std::ldexp(1.0F, -14)), 0x0400u);
  EXPECT_EQ(kernels::value_of_half(15), std::ldexp(15.0F, -24));
  EXPECT_EQ(kernels::add_halves(0x00070003u, 0x0002000fu), 0x00090012u);       // subnormal
  EXPECT_EQ(kernels::subtract_halves(0x64ff6400u, 0x64806480u), 0x57f0d800u);  // 127, -128
  EXPECT_EQ(kernels::halves_of(2049, 2051), 0x68026800u);                      // rounded to even: 2048, 2052
  EXPECT_EQ(kernels::truncated_halves(2051, -1025.5F), 0xe4016801u);           // 2050, -1025
  EXPECT_EQ(kernels::doubled_half(0x6401), 2050u);
  EXPECT_EQ(kernels::larger_magnitudes(0x3c004000u, 0xc0003c00u), 0x40004000u);
}

float element(std::uint32_t word, unsigned i) {
  return kernels::value_of_half(word >> (16 * i) & 0xffff);
}

Words4 hadamard(std::uint32_t one) {
  Words4 words;
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    for (unsigned w = 0; w < 4; ++w) words[lane][w] = kernels::hadamard_word(lane, w, one);
  }
  return words;
}

// words(lane) returns the lane's four words of a matrix.
template <class Words>
Floats from_left(const Words4& h, unsigned n, const Words& words) {
  Words2 b;
  for (unsigned lane = 0; lane < kWarp; ++lane) b[lane] = {words(lane)[2 * n], words(lane)[2 * n + 1]};
  return multiply(h, b);
}
template <class Words>
Floats from_right(const Words4& h, unsigned n, const Words& words) {
  Words4 a;
  Words2 b;
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    std::copy_n(words(lane), 4, a[lane].begin());
    b[lane] = {h[lane][n], h[lane][n + 2]};
  }
  return multiply(a, b);
}

// Returns a row's four-bit counters.
std::vector<std::uint32_t> nibbles_of(const SBox& box, std::uint32_t a) {
  std::vector<std::uint32_t> words(std::size_t{1} << (box.outputs() - 3));
  for (const DdtEntry& entry : ddt_entries(box, a))
    words[entry.b / 8] += entry.count / 2 << (entry.b % 8 * 4);
  return words;
}

template <int outputs>
class ByteRow {
 public:
  using Tile = kernels::ByteTileLane<outputs>;

  ByteRow(const SBox& box, std::uint32_t a)
      : nibbles_(nibbles_of(box, a)),
        mean_(1u << (kernels::ByteLayout<outputs>::kTileBits + box.inputs() - 1 - outputs)),
        words_(std::size_t{1} << (outputs - 2), kUnwritten) {
    for (std::uint32_t quad = 0;
         quad < std::uint32_t{1} << (outputs - kernels::ByteLayout<outputs>::kTileBits - 2); ++quad)
      take(quad);
  }

  const std::vector<std::uint32_t>& words() const { return words_; }
  bool fits() const { return excess_ == 0; }

 private:
  static constexpr std::uint32_t kUnwritten = 0x01020304;

  std::vector<Tile> tile(std::uint32_t number) {
    std::vector<Tile> lanes(kWarp);
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      std::uint32_t words[Tile::kWords];
      for (unsigned j = 0; j < Tile::kWords; ++j)
        words[j] = nibbles_[(number * kWarp + lane) * Tile::kWords + j];
      lanes[lane].load(words);
    }
    for (unsigned j = 0; j < Tile::kWords; ++j) {
      const auto words = [&](unsigned lane) -> std::uint32_t* { return lanes[lane].x[j]; };
      const auto write = [&](const Floats(&d)[2], auto bias) {
        for (unsigned lane = 0; lane < kWarp; ++lane) {
          for (unsigned w = 0; w < 4; ++w) {
            const float* const here = d[w / 2][lane].data() + w % 2 * 2;
            const std::uint32_t add = bias(lane, w);
            lanes[lane].x[j][w] = kernels::halves_of(here[0] + element(add, 0), here[1] + element(add, 1));
          }
        }
      };
      const Floats left[2] = {from_left(h_, 0, words), from_left(h_, 1, words)};
      write(left, [](unsigned, unsigned) { return 0u; });
      const Floats right[2] = {from_right(h_, 0, words), from_right(h_, 1, words)};
      write(right, [&](unsigned lane, unsigned w) {
        return w == 0 ? Tile::first_bias(lane, j, mean_) : Tile::kBias;
      });
    }
    for (const Tile& lane : lanes) excess_ |= lane.excess();
    return lanes;
  }

  void take(std::uint32_t quad) {
    std::vector<Tile> tiles[4];
    for (unsigned i = 0; i < 4; ++i) tiles[i] = tile(4 * quad + i);
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      for (unsigned j = 0; j < Tile::kWords; ++j) {
        for (unsigned i = 0; i < 4; ++i) {
          const std::uint32_t one = kernels::bytes_of_two(tiles[0][lane].x[j][i], tiles[1][lane].x[j][i]),
                              other = kernels::bytes_of_two(tiles[2][lane].x[j][i], tiles[3][lane].x[j][i]);
          words_.at(kernels::byte_place<outputs>(quad, lane, j, i, 0)) = kernels::low_halves(one, other);
          words_.at(kernels::byte_place<outputs>(quad, lane, j, i, 1)) = kernels::high_halves(one, other);
        }
      }
    }
  }

  std::vector<std::uint32_t> nibbles_;
  std::uint32_t mean_;
  std::vector<std::uint32_t> words_;
  std::uint32_t excess_ = 0;
  Words4 h_ = hadamard(kernels::kCountedOne);
};

template <int outputs>
class ByteColumns {
 public:
  using Lane = kernels::ByteColumnLane<outputs>;

  ByteColumns() : lanes_(std::size_t{kernels::ByteLayout<outputs>::kGroups} * 8 * kWarp) {}

  // Adds a row. Returns whether an r(a,b) is not 0.
  bool add(const std::vector<std::uint32_t>& row) {
    bool nonzero = false;
    for (std::uint32_t warp = 0; warp < lanes_.size() / kWarp; ++warp) {
      Lane* const lanes = lanes_.data() + warp * kWarp;
      for (unsigned lane = 0; lane < kWarp; ++lane)
        lanes[lane].load(row.data() + warp / 8 * kernels::kByteGroupWords, warp % 8, lane);
      for (unsigned c = 0; c < Lane::kMatrices; ++c) {
        const auto words = [&](unsigned lane) -> std::uint32_t* { return lanes[lane].x[c]; };
        const Floats left[2] = {from_left(plain_, 0, words), from_left(plain_, 1, words)};
        for_each(lanes, left, [&](Lane& lane, unsigned n, const float(&d)[4]) { lane.narrow(c, n, d); });
        const Floats right[2] = {from_right(quarter_, 0, words), from_right(quarter_, 1, words)};
        for_each(lanes, right, [&](Lane& lane, unsigned n, const float(&d)[4]) { lane.add(c, n, d); });
      }
      for (unsigned lane = 0; lane < kWarp; ++lane) nonzero |= lanes[lane].has_nonzero();
    }
    return nonzero;
  }

  bool is_exact(bool odd) const {
    return std::ranges::all_of(lanes_, [&](const Lane& lane) { return lane.is_exact(odd); });
  }

  // Calls visit(b, lane, i) for each column b: it is value i of the lane.
  template <class Visit>
  void for_each_column(Visit visit) const {
    for (std::uint32_t place = 0; place < std::uint32_t{1} << outputs; ++place)
      visit(kernels::byte_column<outputs>(place), lanes_[place >> 11 << 5 | place % kWarp], place >> 5 & 63);
  }

 private:
  template <class Take>
  static void for_each(Lane* lanes, const Floats (&d)[2], Take take) {
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      for (unsigned n = 0; n < 2; ++n) {
        const float four[4] = {d[n][lane][0], d[n][lane][1], d[n][lane][2], d[n][lane][3]};
        take(lanes[lane], n, four);
      }
    }
  }

  std::vector<Lane> lanes_;
  Words4 plain_ = hadamard(kernels::kPlainOne), quarter_ = hadamard(kernels::kQuarter);
};

std::uint32_t sum_of_values(const SBox& box) {
  std::uint32_t sum = 0;
  for (const std::uint32_t value : box.values()) sum ^= value;
  return sum;
}

template <int outputs>
void expect_rows(const SBox& box, const std::vector<std::uint32_t>& rows) {
  ASSERT_EQ(box.outputs(), outputs);
  ByteColumns<outputs> columns;
  std::vector<std::uint32_t> largest(std::size_t{1} << outputs);
  std::vector<std::uint64_t> squares(largest.size());
  std::vector<std::int32_t> r(largest.size());
  for (const std::uint32_t a : rows) {
    const ByteRow<outputs> row(box, a);
    ASSERT_TRUE(row.fits()) << a;
    autocorrelation_row(box, a, r);
    r[0] = 0;
    EXPECT_EQ(columns.add(row.words()), std::ranges::any_of(r, [](std::int32_t x) { return x != 0; }));
    for (std::size_t b = 0; b < r.size(); ++b) {
      const auto half = static_cast<std::uint32_t>(std::abs(r[b]) / 2);
      largest[b] = std::max(largest[b], half);
      squares[b] += std::uint64_t{half} * half;
    }
  }
  const std::uint32_t odd = sum_of_values(box);
  EXPECT_TRUE(columns.is_exact(odd != 0));
  std::vector<bool> seen(largest.size());
  columns.for_each_column([&](std::uint32_t b, const auto& lane, unsigned i) {
    seen[b] = true;
    ASSERT_EQ(lane.largest(i, std::popcount(b & odd) % 2 != 0), largest[b]) << b;
    ASSERT_EQ(lane.squares(i), squares[b]) << b;
  });
  EXPECT_EQ(std::ranges::count(seen, false), 0);
}

TEST(ByteRowAgent, TransformsAndAddsRowsUp) {
  if (!::fugu::test::kSanitized) expect_rows<16>(random_box(16, 16), {1, 0x8421, 0xffff});
  expect_rows<16>(random_box(11, 16), {3, 0x7ff});
  expect_rows<17>(random_box(17, 17), {0x1fffe});
  expect_rows<18>(random_box(15, 18), {4, 5});
  expect_rows<19>(random_box(19, 19), {0x40000});
}

SBox random_permutation(int bits) {
  std::vector<std::uint32_t> values(std::size_t{1} << bits);
  std::iota(values.begin(), values.end(), 0u);
  std::ranges::shuffle(values, std::mt19937(1));
  return {bits, bits, std::move(values)};
}

// All r(a,b) of a permutation are multiples of 8.
TEST(ByteRowAgent, TransformsRowsOfPermutations) {
  expect_rows<16>(random_permutation(16), {9, 0x6006});
  expect_rows<20>(random_permutation(20), {0xfffff});
}

// Returns whether the agents report that all values are exact and column 0 holds 0.
template <int outputs>
bool seems_right(const SBox& box, std::uint32_t a) {
  const ByteRow<outputs> row(box, a);
  ByteColumns<outputs> columns;
  columns.add(row.words());
  bool zero = true;
  columns.for_each_column([&](std::uint32_t b, const auto& lane, unsigned i) {
    if (b == 0) zero = lane.largest(i, false) == 0;
  });
  return row.fits() && zero && columns.is_exact(sum_of_values(box) != 0);
}

// The boxes have counters of more than 15 pairs, sums of tiles beyond bytes, and r(a,b) beyond halves.
TEST(ByteRowAgent, SeesWhatHasTooLittleRoom) {
  EXPECT_FALSE(seems_right<16>(box_of(16, 16, [](std::uint32_t x) { return x; }), 1));
  EXPECT_FALSE(seems_right<16>(box_of(16, 16, [](std::uint32_t) { return 5; }), 1));
  EXPECT_FALSE(seems_right<17>(box_of(17, 17, [](std::uint32_t x) { return x ^ x << 1; }), 0x10000));
  for (const std::uint32_t many : {15u, 16u, 17u}) {
    const SBox box = box_of(
        10, 16, [&](std::uint32_t x) { return x % 2 * (x < 2 * many ? 7 : (x * x ^ x >> 3) % 65519 + 9); });
    EXPECT_EQ(seems_right<16>(box, 1), many == 15) << many;
  }
}

// Three quarters of all differences have the highest bit set.
TEST(ByteRowAgent, SeesWhatHalvesDoNotHold) {
  std::mt19937 random(1);
  const SBox box = box_of(16, 16, [&](std::uint32_t x) {
    const auto value = static_cast<std::uint32_t>(random());
    return (value & 0x7fff) | x % 2 * (value >> 16 & 3 ? 0x8000u : 0u);
  });
  const SBox even = box_of(16, 16, [&](std::uint32_t x) {
    return x % 2 == 0 ? box[x] & 0x7fff : (box[x] & 0x7fff) | (box[x] & 0x8000);
  });
  EXPECT_TRUE(ByteRow<16>(even, 1).fits());
  EXPECT_FALSE(seems_right<16>(even, 1));
}

// Sums of squares exceed 32 bits after some rows.
TEST(ByteRowAgent, SeesSumsThatAreTooLarge) {
  const SBox box = random_box(16, 16);
  const ByteRow<16> row(box, 1);
  ByteColumns<16> columns;
  columns.add(row.words());
  EXPECT_TRUE(columns.is_exact(true));
  float largest = 0;
  columns.for_each_column([&](std::uint32_t, const auto& lane, unsigned i) {
    largest = std::max(largest, static_cast<float>(lane.squares(i)) / 16);
  });
  kernels::ByteColumnLane<16> lane;
  const float one[4] = {std::sqrt(largest), 0, 0, 0};
  const auto rows = static_cast<int>(float{1 << 22} / (one[0] * one[0])) + 1;
  for (int i = 0; i < rows - 1; ++i) lane.add(0, 0, one);
  EXPECT_TRUE(lane.is_exact(true));
  for (int i = 0; i < 2; ++i) lane.add(0, 0, one);
  EXPECT_FALSE(lane.is_exact(true));
  EXPECT_TRUE(lane.is_exact(false));
}

}  // namespace
}  // namespace fugu::spectral
