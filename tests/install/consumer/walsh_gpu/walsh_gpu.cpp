// Walsh transforms of float16 rows from one GPU buffer to another, on a stream that belongs to the caller, as
// in a program whose own kernels run there; without a GPU on the CPU. Every row is a delta, whose spectrum is
// constant.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "fugu/core/half.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/device/context.hpp"
#include "fugu/device/device.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/walsh.hpp"

namespace {

using fugu::core::Float16;

constexpr int kLog2Size = 10;
constexpr std::size_t kRows = 3;
constexpr double kScale = 1.0 / 32;  // the transform is then its own inverse

// `handle`: a cudaStream_t. Work is queued there, and nothing waits for it; one read and one write of the
// rows.
void queue_transform(fugu::device::DeviceSpan<const Float16> in, fugu::device::DeviceSpan<Float16> out,
                     const fugu::device::Context& gpu, fugu::device::StreamHandle handle) {
  const fugu::device::Stream stream = fugu::device::Stream::adopt(gpu, handle);
  fugu::spectral::cuda::walsh(in, out, kLog2Size, fugu::spectral::Ordering::natural, kScale, stream);
}

void transform_on_gpu(std::vector<Float16>& values) {
  const fugu::device::Context gpu(0);
  fugu::device::Stream callers(gpu);  // stands for a stream of the caller's
  fugu::device::Buffer<Float16> in(callers, values.size(), fugu::device::Contents::open);
  fugu::device::Buffer<Float16> out(callers, values.size(), fugu::device::Contents::open);
  fugu::device::copy_to_device(in.span(), std::span<const Float16>(values), callers);
  queue_transform({in.data(), in.size()}, out.span(), gpu, callers.handle());
  fugu::device::copy_to_host(std::span(values), out.span(), callers);
  callers.synchronize();
}

void transform_on_cpu(std::vector<Float16>& values) {
  const std::span bits(reinterpret_cast<std::uint16_t*>(values.data()), values.size());
  fugu::spectral::walsh_halves<Float16>(bits, bits, kLog2Size, kScale);
}

}  // namespace

int main() try {
  std::vector<Float16> values(kRows << kLog2Size, Float16{0});
  for (std::size_t row = 0; row < kRows; ++row) values[row << kLog2Size] = fugu::core::rounded<Float16>(1.0f);
  const bool gpu = !fugu::device::inventory().devices.empty();
  gpu ? transform_on_gpu(values) : transform_on_cpu(values);
  const bool constant =
      std::ranges::all_of(values, [](Float16 w) { return fugu::core::to_float(w) == kScale; });
  std::printf("%zu rows of 2^%d values on the %s: %s\n", kRows, kLog2Size, gpu ? "GPU" : "CPU",
              constant ? "right" : "wrong");
  return constant ? 0 : 1;
} catch (const fugu::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
