// Compares the spectral kernels on a GPU with the definition, with the CPU's results, which other tests
// compare with the definition, and with closed forms.
#include "fugu/spectral/cuda/detail/walsh_plan.hpp"
#include "fugu/spectral/cuda/stages.hpp"
#include "fugu/spectral/cuda/staging.hpp"
#include "spectral/gpu_fixture.hpp"

namespace fugu::spectral {
namespace {

using StagingGpu = test::Gpu;

TYPED_TEST_SUITE(GpuOf, test::Types);

TYPED_TEST(GpuOf, TransformEqualsTheDefinition) {
  using T = TypeParam;
  for (int n = 0; n <= 12; ++n) {
    const auto f = random_values<T>(std::size_t{1} << n, 1000, static_cast<std::uint64_t>(n));
    const auto data = this->upload(f);
    cuda::walsh(data.span(), n, Ordering::natural, *this->stream);
    EXPECT_EQ(this->download(data.span()), test::walsh_definition<T>(f)) << "n = " << n;
  }
}

TYPED_TEST(GpuOf, TransformEqualsTheCpuInEveryOrderingAndComesBack) {
  using T = TypeParam;
  for (int n = 1; n <= 25; n += n >= 20 ? 1 : n < 13 ? 3 : 2) {
    const auto f = random_values<T>(std::size_t{1} << n, n < 20 ? 9 : 0x1f, static_cast<std::uint64_t>(n));
    for (const Ordering ordering : {Ordering::natural, Ordering::dyadic, Ordering::sequency}) {
      if (n > 21 && ordering != Ordering::natural) continue;
      const auto data = this->upload(f);
      cuda::walsh(data.span(), n, ordering, *this->stream);
      auto expected = f;
      walsh(std::span(expected), n, {.ordering = ordering});
      if (sizeof(T) == 8 || n <= 18 || std::is_integral_v<T>) {
        ASSERT_EQ(this->download(data.span()), expected) << "n = " << n;
      }
      cuda::inverse_walsh(data.span(), n, ordering, *this->stream);
      if (sizeof(T) == 8 || n <= 18 || std::is_integral_v<T>) {
        ASSERT_EQ(this->download(data.span()), f) << "n = " << n;
      }
    }
  }
}

// Rows may begin anywhere, although copies of 16 bytes need aligned addresses.
TEST_F(Gpu, RowsNeedNoAlignment) {
  constexpr int n = 25;
  const auto f = random_values<std::int32_t>(std::size_t{1} << n, 9, 1);
  const auto aligned = upload(f);
  const Buffer<std::int32_t> room(*stream, f.size() + 1, Contents::open);
  const auto unaligned = room.span().subspan(1, f.size());
  device::copy_to_device(unaligned, f, *stream);
  cuda::walsh(aligned.span(), n, Ordering::natural, *stream);
  cuda::walsh(unaligned, n, Ordering::natural, *stream);
  EXPECT_TRUE(download(unaligned) == download(aligned.span()));
}

TYPED_TEST(GpuOf, BatchesAreRowsOnTheirOwn) {
  for (const int n : {0, 1, 3, 5, 8, 11, 13, 14, 15}) {
    for (const std::size_t rows : {1u, 3u, 50u})
      this->expect_rows(n, rows, [&](device::DeviceSpan<TypeParam> data) {
        cuda::walsh(data, n, Ordering::natural, *this->stream);
      });
  }
}

// The transform of a delta is a row of the matrix, and its inverse is the delta, also where the number of
// values is 2 to the number of bits of an integer, or half of that. With 2^31 values, 32-bit sums of the
// inverse keep only the sign bit, which -1 needs; with 2^32 values they keep nothing.
template <class T>
class LongRowOf : public Gpu {
 protected:
  void expect_delta_there_and_back(int n, T height) {
    const std::size_t size = std::size_t{1} << n, at = size / 7 * 3;
    if (this->context->info().memory_bytes < size * sizeof(T) + (std::size_t{1} << 30))
      GTEST_SKIP() << "needs " << ((size * sizeof(T)) >> 30) + 1 << " GiB of device memory";
    const Buffer<T> data(*this->stream, size, Contents::open);
    device::wipe(data.span(), *this->stream);
    device::copy_to_device(data.span().subspan(at, 1), std::vector<T>{height}, *this->stream);
    cuda::walsh(data.span(), n, Ordering::natural, *this->stream);
    expect_everywhere(data.span(), [&](std::size_t a) { return static_cast<T>(test::sign(a, at) * height); });
    cuda::inverse_walsh(data.span(), n, Ordering::natural, *this->stream);
    expect_everywhere(data.span(), [&](std::size_t a) { return a == at ? height : T{0}; });
  }

  void expect_refused(int n) {
    const Buffer<T> data(*this->stream, static_cast<std::size_t>(std::uint64_t{1} << n), Contents::open);
    device::wipe(data.span(), *this->stream);
    device::copy_to_device(data.span().subspan(0, 1), std::vector<T>{1}, *this->stream);
    EXPECT_THROW(cuda::inverse_walsh(data.span(), n, Ordering::natural, *this->stream), Error) << n;
  }

 private:
  template <class Value>
  void expect_everywhere(device::DeviceSpan<T> data, const Value& value_at) {
    constexpr std::size_t kStretch = std::size_t{1} << 26;
    for (std::size_t start = 0; start < data.size; start += kStretch) {
      const auto values = this->download(data.subspan(start, kStretch));
      for (std::size_t i = 0; i < kStretch; ++i) ASSERT_EQ(values[i], value_at(start + i)) << start + i;
    }
  }
};
using IntegerTypes = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(LongRowOf, IntegerTypes);

TYPED_TEST(LongRowOf, OfUpTo30Bits) {
  for (const int n : {26, 27, 28, 30}) this->expect_delta_there_and_back(n, 1);
}

TYPED_TEST(LongRowOf, Of31Bits) {
  this->expect_delta_there_and_back(31, -1);
}

TYPED_TEST(LongRowOf, Of32Bits) {
  if constexpr (sizeof(TypeParam) == 4) {
    this->expect_refused(32);  // no integers have a transform of 1, and the inverse does not fit
  } else {
    this->expect_delta_there_and_back(32, 1);
  }
}

TYPED_TEST(LongRowOf, WithFractionsOf31Bits) {
  this->expect_refused(31);
}

// 2^35 values fill the device. Five deltas become sums of five rows of the matrix. A linear function on one
// 32nd of the row, made on the device, becomes 32 coefficients of 2^30.
TEST_F(Gpu, LargestTransformHasItsClosedForms) {
  constexpr int n = 35, part = 30;
  constexpr std::uint64_t size = std::uint64_t{1} << n;
  constexpr std::size_t stretch = 1 << 16;
  if (context->info().memory_bytes < size * sizeof(std::int32_t) + (std::size_t{1} << 30)) {
    GTEST_SKIP() << "needs 129 GiB of device memory, has " << (context->info().memory_bytes >> 30) << " GiB";
  }
  const Buffer<std::int32_t> data(*stream, static_cast<std::size_t>(size), Contents::open);
  const auto part_at = [&](std::uint64_t first, std::size_t count) {
    return data.span().subspan(static_cast<std::size_t>(first), count);
  };
  // Reads stretches that cross the borders of tiles, chunks and halves.
  const auto expect_samples = [&](const auto& value_at) {
    for (std::uint64_t sample = 0; sample < 512; ++sample) {
      const std::uint64_t start =
          std::min(size - stretch, size / 511 * sample - std::min<std::uint64_t>(sample, stretch / 2));
      const auto values = download(part_at(start, stretch));
      for (std::size_t i = 0; i < stretch; ++i) ASSERT_EQ(values[i], value_at(start + i)) << start + i;
    }
  };
  const std::uint64_t places[] = {0, size - 1, size / 7 * 3, size / 3, (size / 5) ^ 1};
  device::wipe(data.span(), *stream);
  for (std::int32_t i = 0; i < 5; ++i)
    device::copy_to_device(part_at(places[i], 1), std::vector<std::int32_t>{1 << i}, *stream);
  cuda::walsh(data.span(), n, Ordering::natural, *stream);
  expect_samples([&](std::uint64_t a) {
    std::int32_t sum = 0;
    for (std::int32_t i = 0; i < 5; ++i) sum += test::sign(a, places[i]) << i;
    return sum;
  });
  constexpr std::uint64_t row = 19;
  constexpr std::size_t at = (std::size_t{1} << part) / 7 * 3;
  device::wipe(data.span(), *stream);
  const auto linear = part_at(row << part, std::size_t{1} << part);
  device::copy_to_device(linear.subspan(at, 1), std::vector<std::int32_t>{1}, *stream);
  cuda::walsh(linear, part, Ordering::natural, *stream);
  cuda::walsh(data.span(), n, Ordering::natural, *stream);
  const auto coefficient = [&](std::uint64_t a) {
    return a % (std::size_t{1} << part) == at ? test::sign(a >> part, row) * (1 << part) : 0;
  };
  expect_samples(coefficient);
  for (std::uint64_t k = 0; k < 32; ++k) {
    const std::uint64_t a = (k << part) + at;
    EXPECT_EQ(download(part_at(a, 1))[0], coefficient(a)) << k;
  }
}

// Plans put two passes in one launch only for large rows. This test does so for small ones, with few and many
// chunks and with short and long leads.
TYPED_TEST(GpuOf, ChainsOfTwoPassesTransform) {
  const int tile = kernels::chain_tile_bits(sizeof(TypeParam));
  for (const int stages : {1, 4, 7}) {
    for (const std::uint32_t chunks : {1u, 8u}) {
      for (const std::uint32_t lead : {1u << stages, (chunks << stages) - chunks / 2, chunks << stages}) {
        SCOPED_TRACE(lead);
        const kernels::WalshPass low{false, tile, tile, tile, 0, tile};
        const cuda::WalshPlan plan{{low, cuda::strided_pass(tile, 5, tile, stages)},
                                   kernels::ChainShape{chunks, 1u << stages, lead}};
        this->expect_rows(tile + stages, chunks, [&](device::DeviceSpan<TypeParam> data) {
          cuda::run_plan(plan, data, *this->stream);
        });
      }
    }
  }
}

TEST_F(Gpu, InverseOfWhatIsNoSpectrumIsRefused) {
  const auto data = upload(std::vector<std::int32_t>{1, 0});
  EXPECT_THROW(cuda::inverse_walsh(data.span(), 1, Ordering::natural, *stream), Error);
  EXPECT_THROW(cuda::walsh(data.span(), 2, Ordering::natural, *stream), Error);
}

TYPED_TEST(GpuOf, ConvolutionEqualsTheCpu) {
  using T = TypeParam;
  if constexpr (!std::is_same_v<T, std::int32_t>) {
    // Both results are rounded, in different orders. The difference is small compared with the root of the
    // sum of squares.
    for (const int n : {0, 1, 2, 7, 11, 12, 13, 14, 15, 18, 21, 22, 23, 24})
      this->expect_convolution(
          n, std::is_integral_v<T> ? 0 : std::ldexp(40.0 * n * std::numeric_limits<T>::epsilon(), n));
  }
}

TEST_F(Gpu, ConvolutionOverflowIsReportedBeforeTheWork) {
  std::vector<std::int64_t> f(4, std::int64_t{1} << 31), g = f;
  EXPECT_THROW(cuda::dyadic_convolve(std::span(f), std::span(g), *stream), Error);
  std::vector<std::int64_t> wide{INT64_MAX, 0}, one{1, 0};
  EXPECT_THROW(cuda::dyadic_convolve(std::span(wide), std::span(one), *stream), Error);
  EXPECT_THAT(wide, testing::ElementsAre(INT64_MAX, 0));
}

TEST_F(Gpu, CharacterTablesAreTheCpusToTheLastBit) {
  for (const char* name :
       {"2", "3", "4", "3^7", "2x3x4x5", "2^11", "7x2x9", "1", "2000", "12289", "20011", "257x3"}) {
    const CharacterGroup group = CharacterGroup::parse(name);
    SCOPED_TRACE(name);
    const std::uint64_t rows = std::min<std::uint64_t>(group.order(), 200);
    const TableTile top{0, rows, 0, group.order()};
    const TableTile middle{group.order() / 3, std::min<std::uint64_t>(rows, group.order() / 2),
                           group.order() / 5, group.order() / 2};
    for (const TableTile& tile : {top, middle}) test::expect_tables(group, tile, *stream);
  }
}

TEST_F(Gpu, TilesOfEnormousTables) {
  const CharacterGroup group = CharacterGroup::parse("3^30");
  test::expect_table<std::uint8_t>(group, {group.order() - 3, 3, group.order() / 2, 100000},
                                   RowOrder::kronecker, *stream);
}

// Parts of transforms on a GPU.

template <class T>
class GpuStagesOf : public Gpu {
 protected:
  // The values of the other parts are nowhere but where they arrived.
  void expect_row_of_parts(int column_bits, int part_bits) {
    const std::size_t columns = std::size_t{1} << column_bits, parts = std::size_t{1} << part_bits;
    const auto f = random_values<T>(columns * parts, 9, 2);
    auto expected = f;
    walsh(std::span(expected), column_bits + part_bits);
    for (const std::size_t own : {std::size_t{0}, parts / 2, parts - 1}) {
      std::vector<T> row(f.size(), T{77});
      std::vector<T> arrived(f);
      const auto begin = static_cast<std::ptrdiff_t>(own * columns);
      const auto end = begin + static_cast<std::ptrdiff_t>(columns);
      std::copy(f.begin() + begin, f.begin() + end, row.begin() + begin);
      arrived.erase(arrived.begin() + begin, arrived.begin() + end);
      const auto data = this->upload(row);
      const auto values = this->upload(arrived);
      cuda::walsh_received<T>(data.span(), {values.data(), column_bits, static_cast<unsigned>(own)},
                              *this->stream);
      ASSERT_TRUE(this->download(data.span()) == expected) << column_bits << ", " << part_bits << ", " << own;
    }
  }
};
TYPED_TEST_SUITE(GpuStagesOf, test::Types);

TYPED_TEST(GpuStagesOf, EqualTheCpus) {
  using T = TypeParam;
  constexpr int n = 25;
  const auto f = random_values<T>(std::size_t{1} << n, 9, 1);
  for (const int first : {14, 15, 20}) {
    for (const int stages : {1, 5, 9, 10, 11}) {
      if (first + stages > n) continue;
      const auto data = this->upload(f);
      cuda::walsh_stages(data.span(), first, stages, *this->stream);
      auto expected = f;
      walsh_stages(std::span(expected), first, stages);
      ASSERT_TRUE(this->download(data.span()) == expected) << first << ", " << stages;
    }
  }
}

TYPED_TEST(GpuStagesOf, RowsOfReceivedPartsAreTransformed) {
  for (const auto& [column_bits, part_bits] : {std::pair{16, 2}, {15, 3}, {22, 1}, {23, 1}})
    this->expect_row_of_parts(column_bits, part_bits);
}

// compute-sanitizer runs this one.
template <class T>
class EveryKernelReceivedOf : public GpuStagesOf<T> {};
TYPED_TEST_SUITE(EveryKernelReceivedOf, test::Types);
TYPED_TEST(EveryKernelReceivedOf, Parts) {
  this->expect_row_of_parts(14, 1);
  this->expect_row_of_parts(14, 2);
}

TEST_F(Gpu, PartsOfTransformsThatAreNoneAreRefused) {
  const device::Buffer<float> data(*stream, std::size_t{1} << 16, device::Contents::open);
  const auto refused = [](auto call) { return test::usage_error(call) != "no error"; };
  EXPECT_TRUE(refused([&] { cuda::walsh_stages(data.span(), 13, 1, *stream); }));
  EXPECT_TRUE(refused([&] { cuda::walsh_stages(data.span(), 14, 3, *stream); }));
  EXPECT_TRUE(refused([&] { cuda::walsh_received<float>(data.span(), {data.data(), 13, 0}, *stream); }));
  EXPECT_TRUE(refused([&] { cuda::walsh_received<float>(data.span(), {data.data(), 17, 0}, *stream); }));
}

// Tests large copies between pageable memory and a device.

std::vector<std::uint32_t> numbered(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 1u);
  return values;
}

// Copies are in one piece, or in pieces of which the last is whole, short or a single value.
TEST_F(StagingGpu, CopiesOfEverySizeComeBack) {
  for (const std::size_t count : {1u << 10, 1u << 23, (1u << 23) + 1, (9u << 20) + 77, 12345679u}) {
    const std::vector<std::uint32_t> values = numbered(count);
    const device::Buffer<std::uint32_t> there(*stream, count, device::Contents::open);
    cuda::upload(there.span(), values, *stream);
    EXPECT_TRUE(download(there.span()) == values) << count;
    std::vector<std::uint32_t> back(count);
    cuda::download(std::span(back), there.span(), *stream);
    EXPECT_TRUE(back == values) << count;
  }
}

// A download comes after the work queued before it, and work queued after an upload comes after the upload.
TEST_F(StagingGpu, CopiesKeepTheStreamsOrder) {
  const std::vector<std::uint32_t> values = numbered(1u << 23);
  const device::Buffer<std::uint32_t> there(*stream, values.size(), device::Contents::open);
  const device::Buffer<std::uint32_t> copy(*stream, values.size(), device::Contents::open);
  std::vector<std::uint32_t> back(values.size());
  for (int i = 0; i < 3; ++i) {
    device::wipe(there.span(), *stream);
    cuda::upload(there.span(), values, *stream);
    device::copy_on_device<std::uint32_t>(copy.span(), there.span(), *stream);
    device::wipe(there.span(), *stream);
    cuda::download(std::span(back), copy.span(), *stream);
    EXPECT_TRUE(back == values);
    cuda::download(std::span(back), there.span(), *stream);
    EXPECT_EQ(std::ranges::count(back, 0u), static_cast<std::ptrdiff_t>(back.size()));
  }
}

TEST_F(StagingGpu, SpectraOfOrdinaryMemoryEqualTheCpus) {
  const TruthTable f = random_function(24, 5);
  std::vector<std::int32_t> out(f.size());
  cuda::walsh_spectrum(f, out, *stream);
  EXPECT_TRUE(out == walsh_spectrum(f));
  EXPECT_EQ(test::usage_error([&] { cuda::walsh_spectrum(f, std::span(out).first(5), *stream); }),
            "the spectrum has 16777216 values, the output room for 5");
}

}  // namespace
}  // namespace fugu::spectral
