// Fourier transforms over finite Abelian groups.
#include <type_traits>

#include "kernels/group/group_agent.hpp"

namespace fugu::kernels {
namespace {

constexpr unsigned kPassThreads = 512;
constexpr unsigned kAxisThreads = 256;

template <class Ring>
__global__ void __launch_bounds__(kPassThreads)
    group_pass_kernel(const __grid_constant__ Ring ring, std::uint32_t modulus,
                      const __grid_constant__ GroupPass pass, typename Ring::Value* data,
                      std::uint64_t values) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto* const shared = reinterpret_cast<typename Ring::Value*>(shared_bytes);
  const GroupTile<Ring> tile(ring, modulus, pass, blockIdx.x, values, threadIdx.x, kPassThreads);
  tile.load(data, shared);
  for (int end = pass.axes; end > 0;) {
    const int count = GroupTile<Ring>::stage_axes(pass, end);
    __syncthreads();
    tile.stage(shared, end, count);
    end -= count;
  }
  __syncthreads();
  tile.store(data, shared);
}

template <class Ring>
__global__ void __launch_bounds__(kAxisThreads)
    group_axis_kernel(const Ring ring, std::uint32_t modulus, std::uint32_t radix, std::uint64_t stride,
                      const typename Ring::Value* in, typename Ring::Value* out, std::uint64_t values) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kAxisThreads + threadIdx.x;
  if (i < values) out[i] = axis_result(ring, modulus, radix, stride, in, i);
}

// Calls run(ring) with the element's ring.
template <class Run>
int with_ring(const GroupRing& ring, Run run) {
  if (ring.element == GroupElement::complex64)
    return run(ComplexRing<float>{static_cast<const ComplexValue<float>*>(ring.roots),
                                  static_cast<float>(ring.scale)});
  return run(ComplexRing<double>{static_cast<const ComplexValue<double>*>(ring.roots), ring.scale});
}

template <class Ring>
int launch_pass(const Ring& ring, std::uint32_t modulus, const GroupPass& pass, void* data,
                std::uint64_t values, CUstream_st* stream) {
  using Value = typename Ring::Value;
  const std::size_t shared = std::size_t{pass.rows} * pass.repeats * pass.columns * sizeof(Value);
  const int status = cudaFuncSetAttribute(
      group_pass_kernel<Ring>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
  if (status != cudaSuccess) return status;
  const std::uint64_t groups = (pass.stride + pass.columns - 1) / pass.columns;
  const std::uint64_t of_tile = std::uint64_t{pass.rows} * pass.repeats * pass.stride;
  const auto tiles = static_cast<unsigned>((values + of_tile - 1) / of_tile * groups);
  group_pass_kernel<Ring>
      <<<tiles, kPassThreads, shared, stream>>>(ring, modulus, pass, static_cast<Value*>(data), values);
  return cudaGetLastError();
}

}  // namespace

int launch_group_pass(const GroupRing& ring, const GroupPass& pass, void* data, std::uint64_t values,
                      CUstream_st* stream) {
  return with_ring(ring,
                   [&](const auto& of) { return launch_pass(of, ring.modulus, pass, data, values, stream); });
}

int launch_group_axis(const GroupRing& ring, std::uint32_t radix, std::uint64_t stride, const void* in,
                      void* out, std::uint64_t values, CUstream_st* stream) {
  return with_ring(ring, [&](const auto& of) {
    using Ring = std::remove_cvref_t<decltype(of)>;
    using Value = typename Ring::Value;
    const auto blocks = static_cast<unsigned>((values + kAxisThreads - 1) / kAxisThreads);
    group_axis_kernel<Ring><<<blocks, kAxisThreads, 0, stream>>>(
        of, ring.modulus, radix, stride, static_cast<const Value*>(in), static_cast<Value*>(out), values);
    return static_cast<int>(cudaGetLastError());
  });
}

}  // namespace fugu::kernels
