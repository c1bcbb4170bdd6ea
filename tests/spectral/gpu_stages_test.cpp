// Parts of transforms on a GPU.
#include "fugu/spectral/cuda/stages.hpp"
#include "fugu/spectral/walsh.hpp"
#include "spectral/definition.hpp"
#include "spectral/gpu_fixture.hpp"
#include "spectral/usage_error.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

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

}  // namespace
}  // namespace fugu::spectral
