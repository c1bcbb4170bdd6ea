// Walsh spectra and degrees of all components.
#include "kernels/sbox/component_agent.hpp"
#include "kernels/sbox/degree_agent.hpp"
#include "kernels/sbox/half_counters.cuh"
#include "kernels/sbox/sbox_shells.cuh"

namespace fugu::kernels {
namespace {

template <int tile_bits>
struct ComponentShared {
  std::int32_t tile[ComponentThread<tile_bits>::Tile::kSharedValues];
  HalfCounters counters;
  ComponentFindings findings;
};

template <int tile_bits>
class ComponentBlock {
 public:
  using Thread = ComponentThread<tile_bits>;
  using Shared = ComponentShared<tile_bits>;

  __device__ ComponentBlock(const ComponentSpectra& spectra, Shared& shared, std::uint32_t first,
                            std::uint32_t last)
      : spectra_(spectra),
        shared_(shared),
        first_(first),
        last_(last),
        thread_(spectra.coordinates, threadIdx.x, first) {}

  __device__ void run() {
    shared_.counters.clear();
    if (threadIdx.x == 0) reset();
    __syncthreads();
    for (std::uint32_t i = first_; i < last_; ++i) {
      if (i != first_) thread_.advance(__ffs(static_cast<int>(i)) - 1);
      transform();
      gather();
    }
    __syncthreads();
    shared_.counters.flush(zero());
  }

 private:
  __device__ void reset() { shared_.findings = {0, kNoInput, 0, kNoWeight, 0}; }

  __device__ void transform() {
    thread_.load();
    thread_.template step<0>(shared_.tile);
    __syncthreads();
    thread_.template step<1>(shared_.tile);
    __syncthreads();
    thread_.template step<2>(shared_.tile);
  }

  __device__ void gather() {
    ComponentFindings& block = shared_.findings;
    const bool counted = thread_.mask() != 0;
    const ThreadFindings mine = thread_.find([&](std::int32_t half) {
      if (counted) shared_.counters.count(half, zero());
    });
    const std::uint32_t largest = warp_maximum(mine.largest);
    const std::uint32_t nonzero = warp_sum(mine.nonzero);
    const std::uint32_t lightest = warp_minimum(mine.lightest);
    if (threadIdx.x % 32 == 0) {
      atomicMax(&block.largest, largest);
      atomicAdd(&block.nonzero, nonzero);
      atomicMin(&block.lightest, lightest);
    }
    if (threadIdx.x == 0) block.balanced = thread_.balanced() ? 1 : 0;
    __syncthreads();
    if (mine.largest == block.largest) atomicMin(&block.first, thread_.first_place(mine.largest));
    __syncthreads();
    if (threadIdx.x == 0) {
      block.largest *= 2;
      spectra_.findings[thread_.mask()] = block;
      reset();
    }
  }

  __device__ std::uint64_t* zero() const { return spectra_.counts + Thread::kTop; }

  const ComponentSpectra& spectra_;
  Shared& shared_;
  std::uint32_t first_;
  std::uint32_t last_;
  Thread thread_;
};

template <int tile_bits>
__global__ void __launch_bounds__(ComponentThread<tile_bits>::kThreads)
    component_spectra_kernel(const __grid_constant__ ComponentSpectra spectra) {
  const std::uint64_t count = spectra.last - spectra.first;
  const auto first = static_cast<std::uint32_t>(spectra.first + count * blockIdx.x / gridDim.x);
  const auto last = static_cast<std::uint32_t>(spectra.first + count * (blockIdx.x + 1) / gridDim.x);
  ComponentBlock<tile_bits>(spectra, shared_of<ComponentShared<tile_bits>>(), first, last).run();
}

template <int tile_bits>
int launch_spectra(const ComponentSpectra& spectra, CUstream_st* stream) {
  return launch_filling(component_spectra_kernel<tile_bits>, ComponentThread<tile_bits>::kThreads,
                        sizeof(ComponentShared<tile_bits>), spectra.last - spectra.first, spectra, stream);
}

constexpr unsigned kDegreeThreads = 256;

__global__ void component_degrees_kernel(const ComponentDegrees all) {
  const std::uint32_t mask = blockIdx.x * kDegreeThreads + threadIdx.x;
  if (mask >> all.outputs == 0) all.degrees[mask] = static_cast<std::int8_t>(component_degree(all, mask));
}

}  // namespace

int launch_component_spectra(const ComponentSpectra& spectra, CUstream_st* stream) {
  switch (spectra.bits) {
    case 12:
      return launch_spectra<11>(spectra, stream);
    case 14:
      return launch_spectra<13>(spectra, stream);
    default:
      return launch_spectra<15>(spectra, stream);
  }
}

int launch_component_degrees(const ComponentDegrees& degrees, CUstream_st* stream) {
  const unsigned blocks = ((1u << degrees.outputs) + kDegreeThreads - 1) / kDegreeThreads;
  component_degrees_kernel<<<blocks, kDegreeThreads, 0, stream>>>(degrees);
  return cudaGetLastError();
}

}  // namespace fugu::kernels
