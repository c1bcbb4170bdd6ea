// Tests large copies between pageable memory and a device.
#include "fugu/spectral/cuda/staging.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "spectral/definition.hpp"
#include "spectral/gpu_fixture.hpp"
#include "spectral/usage_error.hpp"

namespace fugu::spectral {
namespace {

using StagingGpu = test::Gpu;

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
  TruthTable f(24);
  f.words() = test::random_bits(24, 5);
  std::vector<std::int32_t> out(f.size());
  cuda::walsh_spectrum(f, out, *stream);
  EXPECT_TRUE(out == walsh_spectrum(f));
  EXPECT_EQ(test::usage_error([&] { cuda::walsh_spectrum(f, std::span(out).first(5), *stream); }),
            "the spectrum has 16777216 values, the output room for 5");
}

}  // namespace
}  // namespace fugu::spectral
