// A Walsh transform on a GPU buffer, on a stream of its own; without a GPU on the CPU. The function is bent, so every
// coefficient of its spectrum is 2 or -2 (Rothaus 1976).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "fugu/device/buffer.hpp"
#include "fugu/device/context.hpp"
#include "fugu/device/device.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/walsh.hpp"

namespace {

constexpr int kVariables = 2;

void transform_on_gpu(std::vector<std::int32_t>& values) {
  const fugu::device::Context gpu(0);
  fugu::device::Stream stream(gpu);  // Stream::adopt() takes a cudaStream_t
  fugu::device::Buffer<std::int32_t> buffer(stream, values.size(), fugu::device::Contents::open);
  fugu::device::copy_to_device(buffer.span(), std::span<const std::int32_t>(values), stream);
  fugu::spectral::cuda::walsh(buffer.span(), kVariables, fugu::spectral::Ordering::natural, stream);
  fugu::device::copy_to_host(std::span(values), buffer.span(), stream);
  stream.synchronize();
}

}  // namespace

int main() try {
  std::vector<std::int32_t> values{1, 1, 1, -1};  // (-1)^(x0 x1)
  const bool gpu = !fugu::device::inventory().devices.empty();
  if (gpu) {
    transform_on_gpu(values);
  } else {
    fugu::spectral::walsh(std::span(values), kVariables);
  }
  const bool bent = std::ranges::all_of(values, [](std::int32_t w) { return std::abs(w) == 2; });
  std::printf("spectrum on the %s: %d %d %d %d\n", gpu ? "GPU" : "CPU", values[0], values[1], values[2], values[3]);
  return bent ? 0 : 1;
} catch (const fugu::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
