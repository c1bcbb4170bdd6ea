// Runs the phases of the kernel for rows of m 2^k values on the host.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/walsh/base_agent.hpp"
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

}  // namespace
}  // namespace fugu::spectral
