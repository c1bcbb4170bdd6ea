// Moving spectra between their orderings on the device, out of place.
#include "fugu/core/butterfly.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::kernels {
namespace {

constexpr int kThreads = 256;

// Reads follow the reversed index, writes are consecutive.
template <class T>
__global__ void __launch_bounds__(kThreads)
    reorder_kernel(const T* in, T* out, std::uint64_t values, int log2_size, bool gray, bool back) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (at >= values) return;
  const std::uint64_t mask = (std::uint64_t{1} << log2_size) - 1;
  const std::uint64_t k = at & mask;
  std::uint64_t source;
  if (!back) {
    source = core::reverse_bits(gray ? core::gray_code(k) : k, log2_size);
  } else {
    source = core::reverse_bits(k, log2_size);
    for (int shift = 1; gray && shift < 64; shift *= 2) source ^= source >> shift;
  }
  out[at] = in[(at & ~mask) | source];
}

}  // namespace

int launch_reorder(std::size_t element_bytes, const void* in, void* out, std::uint64_t values, int log2_size,
                   bool gray, bool back, CUstream_st* stream) {
  const std::uint64_t blocks = (values + kThreads - 1) / kThreads;
  if (blocks == 0) return cudaSuccess;
  if (blocks > 0x7fffffffu) return cudaErrorInvalidConfiguration;
  const unsigned grid = static_cast<unsigned>(blocks);
  if (element_bytes == 4) {
    reorder_kernel<<<grid, kThreads, 0, stream>>>(static_cast<const std::uint32_t*>(in),
                                                  static_cast<std::uint32_t*>(out), values, log2_size, gray,
                                                  back);
  } else {
    reorder_kernel<<<grid, kThreads, 0, stream>>>(static_cast<const std::uint64_t*>(in),
                                                  static_cast<std::uint64_t*>(out), values, log2_size, gray,
                                                  back);
  }
  return cudaGetLastError();
}

}  // namespace fugu::kernels
