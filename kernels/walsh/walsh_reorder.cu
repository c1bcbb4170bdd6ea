// Reorders spectra on the device, out of place.
#include "kernels/spectral_launch.hpp"
#include "kernels/walsh/reorder_agent.hpp"

namespace fugu::kernels {
namespace {

constexpr int kThreads = 256;

// Reads follow the reversed index, writes are consecutive.
template <class T>
__global__ void __launch_bounds__(kThreads)
    reorder_kernel(const T* in, T* out, std::uint64_t values, Reordering reordering) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (at < values) out[at] = in[reorder_source(reordering, at)];
}

template <class T>
int launch_reorder_of(const void* in, void* out, std::uint64_t values, const Reordering& reordering,
                      CUstream_st* stream) {
  const std::uint64_t blocks = (values + kThreads - 1) / kThreads;
  if (blocks == 0) return cudaSuccess;
  if (blocks > 0x7fffffffu) return cudaErrorInvalidConfiguration;
  reorder_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
      static_cast<const T*>(in), static_cast<T*>(out), values, reordering);
  return cudaGetLastError();
}

}  // namespace

int launch_reorder(std::size_t element_bytes, const void* in, void* out, std::uint64_t values, int log2_size,
                   bool gray, bool back, CUstream_st* stream) {
  const Reordering reordering{log2_size, gray, back};
  if (element_bytes == 2) return launch_reorder_of<std::uint16_t>(in, out, values, reordering, stream);
  return element_bytes == 4 ? launch_reorder_of<std::uint32_t>(in, out, values, reordering, stream)
                            : launch_reorder_of<std::uint64_t>(in, out, values, reordering, stream);
}

}  // namespace fugu::kernels
