// A GPU with a stream on it, functions that copy values to and from it, and transforms beside those of the
// CPU.
#pragma once

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/walsh.hpp"
#include "spectral/definition.hpp"
#include "support/gpu.hpp"
#include "support/testing.hpp"

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

using Types = testing::Types<std::int32_t, std::int64_t, float, double>;

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
};

}  // namespace fugu::spectral::test

namespace fugu::spectral {
using device::Buffer;
using device::Contents;
using namespace test;  // NOLINT(google-global-names-in-headers): fugu::spectral::test
}  // namespace fugu::spectral
