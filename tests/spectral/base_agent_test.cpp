// Runs the phases of the kernel for rows of m 2^k values on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/walsh/base_agent.hpp"
#include "kernels/walsh/matrix_agent.hpp"
#include "spectral/definition.hpp"
#include "spectral/fake_block.hpp"
#include "support/many_cases.hpp"

namespace fugu::spectral {
namespace {

using test::ThreadOrder;

// The definition: entry (i, j) of the product of rows of 2^k is that of the base at (i >> k, j >> k) times
// (-1)^popcount of the low bits.
double product_at(int m, bool transposed, int k, const float* row, std::size_t i) {
  double sum = 0;
  const std::size_t low = (std::size_t{1} << k) - 1;
  for (std::size_t j = 0; j < static_cast<std::size_t>(m) << k; ++j) {
    const auto across = static_cast<int>(i >> k), along = static_cast<int>(j >> k);
    const int base =
        transposed ? core::hadamard_base(m, along, across) : core::hadamard_base(m, across, along);
    sum += base * test::sign(i & low, j & low) * static_cast<double>(row[j]);
  }
  return sum;
}

// Calls phase(state, number) for `count` threads that have no state of their own.
template <class Phase>
void for_threads(unsigned count, ThreadOrder order, const Phase& phase) {
  struct Nothing {};
  std::vector<Nothing> threads(count);
  test::run_phase(threads, order, [&](Nothing&, unsigned thread) { phase(thread); });
}

template <int m, bool transposed, class Source, class Sink>
void run_blocks(const Source& source, Sink sink, int k, std::uint64_t count, ThreadOrder order) {
  using Rows = kernels::BaseRows<m, transposed>;
  const int thread_bits = kernels::base_thread_bits(k);
  std::vector<kernels::Pair> shared(kernels::base_row_bytes(m, k) / sizeof(kernels::Pair));
  for (std::uint64_t start = 0; start < count; start += Rows::pairs(thread_bits)) {
    for_threads(1u << thread_bits, order,
                [&](unsigned thread) { Rows::mix(source, start, count, shared.data(), thread, k - 1); });
    for_threads(Rows::items(thread_bits), order,
                [&](unsigned item) { Rows::transform_low(shared.data(), item, k - 1); });
    for_threads(Rows::items(thread_bits), order,
                [&](unsigned item) { Rows::transform_high(sink, start, count, shared.data(), item, k - 1); });
  }
}

// Rows of small integers, whose sums are exact. The last block is not full.
template <int m, bool transposed>
void expect_product(int k) {
  const std::size_t size = static_cast<std::size_t>(m) << k;
  const std::size_t rows = (std::size_t{2} << kernels::base_thread_bits(k) >> k) + 1;
  const auto in = test::random_values<float>(rows * size, 9, static_cast<std::uint64_t>(k));
  std::vector<kernels::TwoFloats> values(in.size() / 2), out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {in[2 * i], in[2 * i + 1]};
  const ThreadOrder order = k % 2 == 0 ? ThreadOrder::upwards : ThreadOrder::downwards;
  run_blocks<m, transposed>(kernels::FloatSource{values.data()}, kernels::FloatSink{out.data(), 0.5f}, k,
                            values.size(), order);
  for (const std::size_t row : {std::size_t{0}, rows / 2, rows - 1}) {
    for (std::size_t i = 0; i < size; i += 1 + size / 97) {
      const kernels::TwoFloats two = out[(row * size + i) / 2];
      const double right = product_at(m, transposed, k, &in[row * size], i) / 2;
      ASSERT_EQ(i % 2 == 0 ? two.low : two.high, static_cast<float>(right))
          << m << ", k = " << k << ", at " << i;
    }
  }
}

TEST(BaseAgent, EqualsTheProductOfBothMatrices) {
  for (const int k : {1, 2, 5, 6, 7, 9, 10}) {
    expect_product<12, false>(k);
    expect_product<20, true>(k);
    if constexpr (!fugu::test::kSanitized) {  // which would take 15 s more to compile
      expect_product<20, false>(k);
      expect_product<28, false>(k);
      expect_product<40, true>(k);
    }
  }
}

// 16-bit values are rounded once: the sums are integers that float holds and float16 does not.
TEST(BaseAgent, RoundsSixteenBitsOnce) {
  constexpr int m = 12, k = 6;
  const std::size_t size = std::size_t{m} << k;
  const auto in = test::random_values<float>(size, 512, 3);
  std::vector<std::uint32_t> words(size / 2), out(size / 2);
  for (std::size_t i = 0; i < size; ++i)
    words[i / 2] |= std::uint32_t{core::rounded<core::Float16>(in[i]).bits} << (i % 2 * 16);
  run_blocks<m, false>(kernels::HalfSource<core::Float16>{words.data()},
                       kernels::HalfSink<core::Float16>{out.data(), 1.0f}, k, words.size(),
                       ThreadOrder::upwards);
  for (std::size_t i = 0; i < size; ++i) {
    const auto right = static_cast<float>(product_at(m, false, k, in.data(), i));
    ASSERT_EQ(static_cast<std::uint16_t>(out[i / 2] >> (i % 2 * 16)),
              core::rounded<core::Float16>(right).bits)
        << i;
  }
}

// What a warp's matrix unit does with the registers of all lanes, by the tables of PTX ISA 8.0, mma.m16n8k16
// with 16-bit factors: register r of a's row group has rows g and g + 8 in turn, columns 2q and 2q + 1 and,
// from r = 2 on, 8 more; b's has rows 2q and 2q + 1 of column g, of the upper eight for r = 1; the sums are
// rows g and g + 8, columns 2q and 2q + 1.
struct Lane {
  float a[2][2];  // of eight columns
  float b[2];
  float sums[4];
};

float half_of(std::uint32_t word, unsigned which) {
  return core::to_float(core::Float16{static_cast<std::uint16_t>(word >> 16 * which)});
}

void multiply_eight(std::vector<Lane>& lanes) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane / 4, column = lane % 4 * 2 + i % 2;
      for (unsigned j = 0; j < 8; ++j)
        lanes[lane].sums[i] += lanes[4 * row + j / 2].a[i / 2][j % 2] * lanes[4 * column + j / 2].b[j % 2];
    }
  }
}

template <class Rows>
struct MatrixThread {
  typename Rows::Words words;
  float x[2][16];
};

// The sums of a tile for the lanes of a warp.
template <int m, int k>
void multiply_tile(MatrixThread<kernels::MatrixRows<m, k>>* warp, const kernels::MatrixSigns<m>& signs,
                   int tile) {
  using Rows = kernels::MatrixRows<m, k>;
  for (int column = 0; column < 8; ++column) {
    std::vector<Lane> lanes(32);
    for (int i = 0; i < Rows::kDepth; ++i) {
      for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned odd = 0; odd < 2; ++odd) {
          for (int half = 0; half < 2; ++half)
            lanes[lane].a[half][odd] =
                half_of(Rows::template factor<core::Float16>(signs.words[tile][lane], 2 * i + half), odd);
          lanes[lane].b[odd] = half_of(warp[lane].words[i][column], odd);
        }
      }
      multiply_eight(lanes);
    }
    for (unsigned lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) warp[lane].x[i / 2][8 * (i % 2) + column] = lanes[lane].sums[i];
  }
}

template <int m, int k>
void run_matrix_block(const std::uint32_t* in, std::uint32_t* out, const kernels::MatrixSigns<m>& signs,
                      std::uint64_t block, std::uint64_t columns, ThreadOrder order) {
  using Rows = kernels::MatrixRows<m, k>;
  std::vector<float> shared(kernels::matrix_shared_bytes(m, k) / sizeof(float));
  std::vector<MatrixThread<Rows>> threads(Rows::kThreads);
  const auto copy = [](std::uint32_t* to, const std::uint32_t* from) { std::copy(from, from + 4, to); };
  test::run_phase(threads, order, [&](auto& state, unsigned thread) {
    Rows::load(state.words, copy, in, block, columns, thread);
    Rows::pair_rows(state.words);
  });
  for (int tile = 0; tile < Rows::kTiles; ++tile) {
    for (unsigned warp = 0; warp < Rows::kThreads / 32; ++warp)
      multiply_tile<m, k>(&threads[32 * warp], signs, tile);
    for (int half = 0; half < 2; ++half) {
      if (!Rows::has(tile, half)) continue;
      for (unsigned thread = 0; thread < Rows::kThreads; ++thread)
        core::butterflies<4>(threads[thread].x[half], 0, 4);
      for (unsigned lanes = 1; lanes < 1u << Rows::kShape.swapped_bits; lanes *= 2) {
        const auto before = threads;
        test::run_phase(threads, order, [&](auto& state, unsigned thread) {
          Rows::swap_stage(state.x[half], before[thread ^ lanes].x[half], (thread & lanes) != 0);
        });
      }
      test::run_phase(threads, order, [&](auto& state, unsigned thread) {
        Rows::put(shared.data(), state.x[half], thread, tile, half);
      });
    }
  }
  kernels::HalfSink<core::Float16> sink{out, 0.5f};
  for_threads(Rows::kItems, order,
              [&](unsigned item) { Rows::finish(shared.data(), sink, block, columns, item); });
}

// Rows of small integers, whose sums both types hold. The last block is not full.
template <int m, int k>
void expect_matrix_product(bool transposed) {
  using Rows = kernels::MatrixRows<m, k>;
  const std::size_t size = static_cast<std::size_t>(m) << k, rows = (Rows::kColumns >> k) + 1;
  const std::uint64_t columns = rows << k;
  const auto in = test::random_values<float>(rows * size, 1, k);
  std::vector<std::uint32_t> words(in.size() / 2), out(words.size(), 0xffffffff);
  for (std::size_t i = 0; i < in.size(); ++i)
    words[i / 2] |= std::uint32_t{core::rounded<core::Float16>(in[i]).bits} << (i % 2 * 16);
  const ThreadOrder order = transposed ? ThreadOrder::downwards : ThreadOrder::upwards;
  for (std::uint64_t block = 0; block * Rows::kColumns < columns; ++block)
    run_matrix_block<m, k>(words.data(), out.data(), kernels::MatrixSigns<m>(transposed), block, columns,
                           order);
  for (const std::size_t row : {std::size_t{0}, rows - 1}) {
    for (std::size_t i = 0; i < size; i += 1 + size / 97) {
      const auto right = static_cast<float>(product_at(m, transposed, k, &in[row * size], i) / 2);
      ASSERT_EQ(half_of(out[(row * size + i) / 2], i % 2), right) << m << ", k = " << k << ", at " << i;
    }
  }
}

// A block of the first pass waits for blocks before it alone: not for those of the chunk that the ring has in
// its place.
TEST(HalfChain, LeadsByLessThanTheRing) {
  for (int n = kernels::kLeastHalfRowBits; n <= kernels::kMostHalfBits; ++n) {
    const kernels::ChainShape shape = kernels::half_chain(std::uint64_t{1} << 40, n);
    EXPECT_LE(shape.lead_tiles, ((kernels::kHalfRingPairs >> (n - 1)) - 1) * shape.tiles_per_chunk) << n;
  }
}

TEST(MatrixAgent, EqualsTheProductOfBothMatrices) {
  expect_matrix_product<12, 4>(false);
  expect_matrix_product<40, 4>(true);
  expect_matrix_product<28, 9>(false);
  expect_matrix_product<12, 10>(true);
  expect_matrix_product<20, 10>(true);
}

}  // namespace
}  // namespace fugu::spectral
