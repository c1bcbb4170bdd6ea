// Runs the phases of the kernels for rows of m 2^k values on the host.
#include "kernels/walsh/half_rows_agent.hpp"
#include "spectral/support.hpp"

namespace fugu::spectral {
namespace {

// The definition: entry (i, j) of the product of rows of 2^k is that of the base at (i >> k, j >> k) times
// (-1)^popcount of the low bits.
double product_at(int m, bool transposed, int k, const float* row, std::size_t i) {
  double sum = 0;
  const std::size_t columns = std::size_t{1} << k;
  const auto across = static_cast<int>(i >> k);
  for (int along = 0; along < m; ++along, row += columns) {
    double of_row = 0;
    for (std::size_t j = 0; j < columns; ++j)
      of_row += test::sign(i % columns, j) * static_cast<double>(row[j]);
    const int base = m == 1    ? 1
                     : m == 16 ? test::sign(static_cast<std::size_t>(across), static_cast<std::size_t>(along))
                     : transposed ? core::hadamard_base(m, along, across)
                                  : core::hadamard_base(m, across, along);
    sum += base * of_row;
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
  std::vector<kernels::Pair> values(in.size() / 2), out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {in[2 * i], in[2 * i + 1]};
  const ThreadOrder order = k % 2 == 0 ? ThreadOrder::upwards : ThreadOrder::downwards;
  run_blocks<m, transposed>(kernels::WordSource<float>{values.data()},
                            kernels::WordSink<float>{out.data(), 0.5f}, k, values.size(), order);
  for (const std::size_t row : {std::size_t{0}, rows / 2, rows - 1}) {
    for (std::size_t i = 0; i < size; i += 1 + size / 97) {
      const kernels::Pair two = out[(row * size + i) / 2];
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

template <class Half>
std::vector<std::uint32_t> words_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> words(values.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    words[i / 2] |= std::uint32_t{core::rounded<Half>(values[i]).bits} << (i % 2 * 16);
  return words;
}

template <class Half>
float half_of(std::uint32_t word, std::size_t which) {
  return core::to_float(Half{static_cast<std::uint16_t>(word >> 16 * which)});
}

// 16-bit values are rounded once: the sums are integers that float holds and float16 does not.
TEST(BaseAgent, RoundsSixteenBitsOnce) {
  constexpr int m = 12, k = 6;
  const std::size_t size = std::size_t{m} << k;
  const auto in = test::random_values<float>(size, 512, 3);
  const auto words = words_of<core::Float16>(in);
  std::vector<std::uint32_t> out(size / 2);
  run_blocks<m, false>(kernels::WordSource<core::Float16>{words.data()},
                       kernels::WordSink<core::Float16>{out.data(), 1.0f}, k, words.size(),
                       ThreadOrder::upwards);
  for (std::size_t i = 0; i < size; ++i) {
    const auto right = static_cast<float>(product_at(m, false, k, in.data(), i));
    ASSERT_EQ(static_cast<std::uint16_t>(out[i / 2] >> (i % 2 * 16)),
              core::rounded<core::Float16>(right).bits)
        << i;
  }
}

// What a warp's matrix unit does with the registers of all lanes, by the tables of PTX ISA 8.0, mma.m16n8k16
// with 16-bit factors: register r of a has row g, or g + 8 if r is odd, and columns 2q and 2q + 1, or 8 more
// from r = 2 on; that of b has these as rows, of column g; the sums are rows g and g + 8, columns 2q and 2q
// + 1.
struct Lane {
  std::uint32_t a[4];
  std::uint32_t b[2];
  float sums[4];
};

template <class Half>
void multiply(std::vector<Lane>& lanes) {
  float a[16][16], b[16][8];
  for (std::size_t lane = 0; lane < 32; ++lane) {
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t g = lane / 4, at = lane % 4 * 2 + i % 2 + i / 4 * 8;
      a[g + i / 2 % 2 * 8][at] = half_of<Half>(lanes[lane].a[i / 2], i % 2);
      if (i / 2 % 2 == 0) b[at][g] = half_of<Half>(lanes[lane].b[i / 4], i % 2);
    }
  }
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 16; ++j)
        lanes[lane].sums[i] += a[lane / 4 + i / 2 * 8][j] * b[j][lane % 4 * 2 + i % 2];
}

// Runs run(state, lane, swap) for the lanes of a warp, where swap(value, lanes) returns what another lane
// gave to its call of the same number: again, until no lane gives anything else than the time before.
template <class State, class Run>
void in_lockstep(State* warp, const Run& run) {
  std::vector<std::vector<std::uint32_t>> before(32), given(32);
  const std::vector<State> start(warp, warp + 32);
  do {
    before.swap(given);
    for (unsigned lane = 0; lane < 32; ++lane) {
      warp[lane] = start[lane];
      given[lane].clear();
      run(warp[lane], lane, [&](auto value, unsigned lanes) {
        const auto& other = before[lane ^ lanes];
        const std::size_t call = given[lane].size();
        given[lane].push_back(std::bit_cast<std::uint32_t>(value));
        return call < other.size() ? std::bit_cast<decltype(value)>(other[call]) : value;
      });
    }
  } while (given != before);
}

template <class Rows>
struct HalfThread {
  typename Rows::Loads loads;
  typename Rows::Sums sums;
};

constexpr auto kCopyFour = [](std::uint32_t* to, const std::uint32_t* from) {
  std::copy(from, from + 4, to);
};

// The sums of rows 4t to 4t + 3 for the lanes of a warp.
template <class Half, class Rows, class Signs>
void multiply_rows(HalfThread<Rows>* warp, const Signs& signs, unsigned t) {
  for (std::size_t group = 0; group < Rows::kGroups; ++group) {
    for (std::size_t s = 0; s < 2; ++s) {
      std::vector<Lane> lanes(32);
      for (unsigned i = 0; i < Rows::kFours; ++i) {
        for (unsigned lane = 0; lane < 32; ++lane) {
          const auto& load = warp[lane].loads[group][i];
          Rows::template factor<Half>(lanes[lane].a, signs(t, lane), static_cast<int>(i), lane);
          lanes[lane].b[0] = load[s];
          lanes[lane].b[1] = load[2 + s];
        }
        multiply<Half>(lanes);
      }
      for (unsigned lane = 0; lane < 32; ++lane)
        for (std::size_t c = 0; c < 4; ++c) warp[lane].sums[group].x[2 * c + s] = lanes[lane].sums[c];
    }
  }
}

// Writes a block's rows to `out`.
template <class Half, class Rows, class Signs>
void run_half_block(const std::vector<std::uint32_t>& in, std::vector<std::uint32_t>& out, const Signs& signs,
                    std::size_t block, ThreadOrder order) {
  std::vector<HalfThread<Rows>> threads(Rows::kThreads);
  const std::size_t words = Rows::kValues / 2;
  std::uint32_t* const to = out.data() + block * words;
  const auto left =
      static_cast<unsigned>(std::min<std::size_t>(2 * (in.size() - block * words), Rows::kValues));
  test::run_phase(threads, order, [&](auto& state, unsigned thread) {
    Rows::load(state.loads, kCopyFour, in.data() + block * words, left, thread);
  });
  for (unsigned t = 0; t < Rows::kFours; ++t) {
    std::vector<float> shared(Rows::kSharedValues);
    for (unsigned warp = 0; warp < Rows::kThreads; warp += 32) {
      multiply_rows<Half, Rows>(&threads[warp], signs, t);
      in_lockstep(&threads[warp], [&](auto& state, unsigned lane, const auto& swap) {
        Rows::transform(state.sums, swap, lane);
        for (unsigned group = 0; group < Rows::kGroups; ++group) {
          if constexpr (Rows::kDirect) {
            std::uint32_t line[4];
            Rows::template join<Half>(line, state.sums[group], 0.5f, swap, lane);
            const unsigned place = Rows::first_joined(warp + lane) + Rows::group(group);
            if (Rows::within(place, left)) std::copy(line, line + 4, to + (place + Rows::row(4 * t)) / 2);
          } else {
            Rows::put(shared.data(), state.sums[group], group, warp + lane);
          }
        }
      });
    }
    if constexpr (!Rows::kDirect) {
      for_threads(Rows::kItems, order, [&](unsigned item) {
        kernels::Floats<Rows::kPiece> pieces[std::size_t{1} << Rows::kWindowBits];
        const unsigned at = Rows::item_place(item), place = Rows::from_shared(at);
        Rows::get(pieces, shared.data(), at);
        const auto store = [&](unsigned beyond, const auto& line) {
          if (Rows::within(place + beyond, left))
            std::copy(std::begin(line), std::end(line), to + (place + beyond + Rows::row(4 * t)) / 2);
        };
        Rows::template finish<Half>(pieces, store, at, 0.5f);
      });
    }
  }
}

template <class Half, int m, int k>
std::vector<std::uint32_t> half_rows(const std::vector<std::uint32_t>& in, bool transposed) {
  using Rows = kernels::HalfRows<m, k>;
  std::vector<std::uint32_t> out(in.size(), 0xffffffff);
  const kernels::HalfSigns<m> given(transposed);
  const auto signs = [&](unsigned t, unsigned lane) {
    return m == 1 ? kernels::sylvester_signs(lane) : given.words[t][lane];
  };
  for (std::size_t block = 0; block * Rows::kValues < 2 * in.size(); ++block)
    run_half_block<Half, Rows>(in, out, signs, block,
                               transposed ? ThreadOrder::downwards : ThreadOrder::upwards);
  return out;
}

// Rows of small integers, whose sums float32 holds. The last block is not full.
template <int m, int k, class Half = core::Float16>
void expect_half_product(bool transposed = false) {
  using Rows = kernels::HalfRows<m, k>;
  const std::size_t size = static_cast<std::size_t>(m) << k,
                    rows = std::max<std::size_t>(Rows::kValues / size, 1) + 1;
  const auto in = test::random_values<float>(rows * size, 9, k);
  const auto out = half_rows<Half, m, k>(words_of<Half>(in), transposed);
  for (const std::size_t row : {std::size_t{0}, rows - 1}) {
    for (std::size_t i = 0; i < size; i += 1 + size / 97) {
      const double right = product_at(m, transposed, k, &in[row * size], i) / 2;
      ASSERT_EQ(half_of<Half>(out[(row * size + i) / 2], i % 2),
                core::to_float(core::rounded<Half>(static_cast<float>(right))))
          << m << ", k = " << k << ", at " << i;
    }
  }
}

// A block of the first pass waits for blocks before it alone: not for those of the chunk that the ring has in
// its place.
TEST(HalfChain, LeadsByLessThanTheRing) {
  for (int n = kernels::kMinHalfChainBits; n <= kernels::kMaxHalfBits; ++n) {
    const kernels::ChainShape shape = kernels::half_chain(std::uint64_t{1} << 40, n);
    EXPECT_LE(shape.lead_tiles, ((kernels::kHalfRingPairs >> (n - 1)) - 1) * shape.tiles_per_chunk) << n;
  }
}

TEST(HalfRowsAgent, EqualsTheProductOfBothMatrices) {
  expect_half_product<12, 4>(true);
  expect_half_product<12, 8>();
  expect_half_product<20, 5, core::Bfloat16>(true);
  expect_half_product<20, 10>();
  expect_half_product<28, 10>();
  expect_half_product<28, 6>();
  expect_half_product<28, 8>(true);
  expect_half_product<40, 7>();
  expect_half_product<40, 8>(true);
  expect_half_product<40, 9>();
}

TEST(HalfRowsAgent, TransformsRowsOfPowersOfTwo) {
  expect_half_product<1, 5>();
  expect_half_product<1, 8, core::Bfloat16>();
  expect_half_product<1, 11>();
  expect_half_product<1, 12>(true);  // in the other order of threads
  expect_half_product<1, 13>();
  expect_half_product<1, 14>(true);
  expect_half_product<1, 15>();
  expect_half_product<16, 12>(true);
}

template <class Half, int k>
void expect_short_rows() {
  const auto in = test::random_values<float>(32 * 8, 9, k);
  auto words = words_of<Half>(in);
  in_lockstep(reinterpret_cast<std::array<std::uint32_t, 4>*>(words.data()),
              [](auto& piece, unsigned lane, const auto& swap) {
                std::uint32_t line[4];
                std::copy(piece.begin(), piece.end(), line);
                kernels::transform_neighbours<Half, k>(line, 0.5f, swap, lane);
                std::copy(line, line + 4, piece.begin());
              });
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double right = product_at(1, false, k, &in[i >> k << k], i % (std::size_t{1} << k)) / 2;
    ASSERT_EQ(half_of<Half>(words[i / 2], i % 2),
              core::to_float(core::rounded<Half>(static_cast<float>(right))))
        << "k = " << k << ", at " << i;
  }
}

TEST(HalfRowsAgent, TransformsRowsWithinALaneOrTwo) {
  expect_short_rows<core::Float16, 1>();
  expect_short_rows<core::Bfloat16, 2>();
  expect_short_rows<core::Float16, 3>();
  expect_short_rows<core::Bfloat16, 4>();
}

// A sum of 0 is +0 in all lanes, though some have sums with the other sign.
TEST(HalfRowsAgent, NoZeroIsNegative) {
  const std::vector<std::uint32_t> zeros(3 << 9);
  EXPECT_EQ((half_rows<core::Float16, 1, 10>(zeros, false)), zeros);
  EXPECT_EQ((half_rows<core::Float16, 12, 8>(zeros, false)), zeros);
}

// An infinity reaches all values of its row, and no other row.
TEST(HalfRowsAgent, AnInfinityStaysInItsRow) {
  std::vector<float> in(3 << 5, 1);
  in[(1 << 5) + 7] = std::numeric_limits<float>::infinity();
  const auto out = half_rows<core::Float16, 1, 5>(words_of<core::Float16>(in), false);
  for (std::size_t i = 0; i < in.size(); ++i)
    EXPECT_EQ(std::isfinite(half_of<core::Float16>(out[i / 2], i % 2)), i / 32 != 1) << i;
}

}  // namespace
}  // namespace fugu::spectral
