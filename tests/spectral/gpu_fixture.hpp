// A GPU with a stream on it, functions that copy values to and from it, and transforms beside those of the
// CPU.
#pragma once

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "spectral/support.hpp"
#include "support/gpu.hpp"

namespace fugu::spectral::test {

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    FUGU_NEED_GPU(1);
    context.emplace(0);
    stream.emplace(*context);
  }

  // All device memory must have been released.
  void TearDown() override {
    if (!context) return;
    stream.reset();
    EXPECT_EQ(context->stats().live_device_bytes, 0u);
  }

  template <class T>
  device::Buffer<T> upload(const std::vector<T>& values) {
    device::Buffer<T> buffer(*stream, values.size(), device::Contents::open);
    device::copy_to_device(buffer.span(), values, *stream);
    return buffer;
  }

  template <class T>
  std::vector<T> download(device::DeviceSpan<T> span) {
    std::vector<T> values(span.size);
    device::copy_to_host(std::span<T>(values), span, *stream);
    stream->synchronize();
    return values;
  }

  std::optional<device::Context> context;
  std::optional<device::Stream> stream;
};

template <class T>
class GpuOf : public Gpu {
 protected:
  // Compares `rows` rows of 2^n values, transformed on the GPU by `transform`, with the CPU's transforms.
  template <class Transform>
  void expect_rows(int n, std::size_t rows, Transform transform) {
    const auto f = random_values<T>(rows << n, 9, rows);
    auto expected = f;
    walsh(std::span(expected), n);
    const auto data = upload(f);
    transform(data.span());
    EXPECT_EQ(download(data.span()), expected) << "n = " << n << ", rows " << rows;
  }

  // Compares the convolution of two functions of 2^n values, and one's with itself, with the CPU's.
  void expect_convolution(int n, double tolerance) {
    auto f = random_values<T>(std::size_t{1} << n, 1, 1), g = random_values<T>(f.size(), 1, 2);
    auto expected = f, other = g, self = f, expected_self = f;
    dyadic_convolve(std::span(expected), std::span(other));
    dyadic_autocorrelate(std::span(expected_self));
    cuda::dyadic_convolve(std::span(f), std::span(g), *stream);
    cuda::dyadic_convolve(std::span(self), std::span(self), *stream);
    for (std::size_t s = 0; s < f.size(); ++s) {
      ASSERT_NEAR(static_cast<double>(f[s]), static_cast<double>(expected[s]), tolerance) << n << ", " << s;
      ASSERT_NEAR(static_cast<double>(self[s]), static_cast<double>(expected_self[s]), tolerance) << n;
    }
  }
};

template <class T>
void expect_table(const CharacterGroup& group, const TableTile& tile, RowOrder order,
                  const device::Stream& stream) {
  std::vector<T> expected(static_cast<std::size_t>(tile.rows * tile.columns)), result(expected.size());
  character_table(group, tile, std::span(expected), order);
  const device::Buffer<T> out(stream, expected.size(), device::Contents::open);
  cuda::character_table(group, tile, out.span(), order, stream);
  device::copy_to_host(std::span<T>(result), out.span(), stream);
  stream.synchronize();
  EXPECT_TRUE(result == expected);
}

// In both orders, and in all types that hold the values.
inline void expect_tables(const CharacterGroup& group, const TableTile& tile, const device::Stream& stream) {
  for (const RowOrder order : {RowOrder::kronecker, RowOrder::equation1}) {
    if (group.modulus() <= 256) expect_table<std::uint8_t>(group, tile, order, stream);
    expect_table<std::uint16_t>(group, tile, order, stream);
    expect_table<std::complex<float>>(group, tile, order, stream);
    expect_table<std::complex<double>>(group, tile, order, stream);
  }
}

}  // namespace fugu::spectral::test

namespace fugu::spectral {
using device::Buffer;
using device::Contents;
using namespace test;  // NOLINT(google-global-names-in-headers): fugu::spectral::test
}  // namespace fugu::spectral
