// Walsh spectra and degrees of all components.
#include "kernels/sbox/box_agent.hpp"
#include "kernels/sbox/component_agent.hpp"
#include "kernels/sbox/sbox_shells.cuh"

namespace fugu::kernels {
namespace {

// A block's findings about the spectra that it computes one after the other.
template <int tile_bits>
class SpectrumBlock {
 public:
  using Thread = ComponentThread<tile_bits>;

  struct Findings {
    std::uint32_t largest;   // max |W| / 2
    std::uint32_t first;     // Thread::first_place() of it
    std::uint32_t lightest;  // what Thread::lightest() returns
  };
  struct Shared {
    std::int32_t tile[Thread::Tile::kSharedValues];
    HalfCounters counters;
    Findings findings[2];   // about the current component and about the next one
    std::uint32_t largest;  // max |W| / 2 of all previous components
  };

  // `zero` is the counter of W = 0 in device memory.
  __device__ SpectrumBlock(Shared& shared, std::uint64_t* zero) : shared_(shared), zero_(zero) {
    shared_.counters.clear();
    if (threadIdx.x != 0) return;
    shared_.largest = 0;
    for (Findings& findings : shared_.findings) findings = nothing();
  }

  // Transforms the signs that the threads have loaded. `written` is for thread 0.
  __device__ void take(Thread& thread, ComponentFindings& written) {
    thread.template step<0>(shared_.tile);
    __syncwarp();  // the first two windows of a warp share their words
    thread.template step<1>(shared_.tile);
    const std::uint32_t zeros = threadIdx.x == 0 ? shared_.counters.counted(0) : 0;
    __syncthreads();
    const std::uint32_t before = shared_.largest;
    thread.template step<2>(shared_.tile);
    Findings& found = shared_.findings[turn_];
    const std::uint32_t mine =
        thread.find([&](std::uint32_t offsets) { shared_.counters.count_two(offsets); },
                    [&](std::int32_t half) {
                      shared_.counters.count_near(half);
                      HalfCounters::count_far(half, zero_);
                    });
    const std::uint32_t largest = warp_maximum(mine);
    if (threadIdx.x % 32 == 0) atomicMax(&found.largest, largest);
    const bool has_one_bit = __syncthreads_or(thread.has_one_bit()) != 0;
    const bool is_largest = found.largest >= before;
    if (is_largest || !has_one_bit) {
      if (is_largest && mine == found.largest) atomicMin(&found.first, thread.first_place(mine));
      if (!has_one_bit) atomicMin(&found.lightest, thread.lightest());
      __syncthreads();
    }
    if (threadIdx.x == 0) {
      written = {peak_key(2 * found.largest, found.first),
                 2 * Thread::kTop - (shared_.counters.counted(0) - zeros), has_one_bit ? 1 : found.lightest,
                 thread.balanced() ? 1u : 0u};
      if (is_largest) shared_.largest = found.largest;
      shared_.findings[turn_ ^ 1] = nothing();
    }
    turn_ ^= 1;
  }

  __device__ void finish() const {
    __syncthreads();
    shared_.counters.flush(zero_);
  }

 private:
  __device__ static Findings nothing() { return {0, kNoInput, kNoWeight}; }

  Shared& shared_;
  std::uint64_t* zero_;
  unsigned turn_ = 0;
};

template <int tile_bits>
__global__ void __launch_bounds__(ComponentThread<tile_bits>::kThreads)
    component_spectra_kernel(const __grid_constant__ ComponentSpectra spectra) {
  using Thread = ComponentThread<tile_bits>;
  using Block = SpectrumBlock<tile_bits>;
  const std::uint64_t count = spectra.last - spectra.first;
  const auto first = static_cast<std::uint32_t>(spectra.first + count * blockIdx.x / gridDim.x);
  const auto last = static_cast<std::uint32_t>(spectra.first + count * (blockIdx.x + 1) / gridDim.x);
  Block block(shared_of<typename Block::Shared>(), spectra.counts + Thread::kTop);
  Thread thread(spectra.coordinates, threadIdx.x, first);
  for (std::uint32_t i = first; i < last; ++i) {
    if (i != first) thread.advance(__ffs(static_cast<int>(i)) - 1);
    thread.load();
    block.take(thread, spectra.findings[thread.mask()]);
  }
  block.finish();
}

template <int tile_bits>
int launch_spectra(const ComponentSpectra& spectra, CUstream_st* stream) {
  return launch_filling(component_spectra_kernel<tile_bits>, ComponentThread<tile_bits>::kThreads,
                        sizeof(typename SpectrumBlock<tile_bits>::Shared), spectra.last - spectra.first,
                        spectra, stream);
}

constexpr unsigned kDegreeThreads = 256;

__global__ void component_degrees_kernel(const ComponentDegrees all) {
  const std::uint32_t mask = blockIdx.x * kDegreeThreads + threadIdx.x;
  if (mask >> all.outputs == 0) all.degrees[mask] = static_cast<std::int8_t>(component_degree(all, mask));
}

constexpr unsigned kSummaryThreads = 256;

__global__ void component_summaries_kernel(const __grid_constant__ ComponentSummaries all) {
  const std::uint32_t b = blockIdx.x * kSummaryThreads + threadIdx.x;
  std::uint32_t branch = kNoWeight;
  std::uint64_t peak = 0;
  if (b != 0 && b < all.count) {
    const ComponentFindings found = all.findings[b];
    const ComponentSummary summary = summary_of(found, all.inputs, all.scale);
    all.summaries[b] = summary;
    if (found.lightest != kNoWeight) branch = found.lightest + static_cast<std::uint32_t>(ones(b));
    peak = peak_of(summary.largest, first_of(found), b);
  }
  branch = warp_minimum(branch);
  const auto largest = static_cast<std::uint32_t>(peak >> 41);
  const bool leads = warp_maximum(largest) == largest && largest != 0;
  if (threadIdx.x % 32 == 0 && branch < __ldcg(all.branch)) atomicMin(all.branch, branch);
  if (leads && peak > __ldcg(all.peak))
    atomicMax(reinterpret_cast<unsigned long long*>(all.peak), static_cast<unsigned long long>(peak));
}

}  // namespace

int launch_component_summaries(const ComponentSummaries& all, CUstream_st* stream) {
  const unsigned blocks = (all.count + kSummaryThreads - 1) / kSummaryThreads;
  component_summaries_kernel<<<blocks, kSummaryThreads, 0, stream>>>(all);
  return cudaGetLastError();
}

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
