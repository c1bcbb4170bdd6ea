// Walsh spectra and degrees of all components.
#include "kernels/sbox/component_agent.hpp"
#include "kernels/sbox/spectrum_block.cuh"
#include "kernels/sbox/summary_agent.hpp"

namespace fugu::kernels {
namespace {

template <int tile_bits>
__global__ void __launch_bounds__(ComponentThread<tile_bits>::kThreads)
    component_spectra_kernel(const __grid_constant__ ComponentSpectra spectra) {
  using Thread = ComponentThread<tile_bits>;
  using Block = SpectrumBlock<Thread>;
  const std::uint64_t count = spectra.last - spectra.first;
  const auto first = static_cast<std::uint32_t>(spectra.first + count * blockIdx.x / gridDim.x);
  const auto last = static_cast<std::uint32_t>(spectra.first + count * (blockIdx.x + 1) / gridDim.x);
  Block block(shared_of<typename Block::Shared>(), spectra.counts + Thread::kTop);
  Thread thread(spectra.coordinates, threadIdx.x, first);
  for (std::uint32_t i = first; i < last; ++i) {
    if (i != first) thread.advance(__ffs(static_cast<int>(i)) - 1);
    thread.load();
    block.take(thread, kNoWeight, [&](ComponentFindings found) {
      found.largest *= 2;
      spectra.findings[thread.mask()] = found;
    });
  }
  block.finish();
}

template <int tile_bits>
int launch_spectra(const ComponentSpectra& spectra, CUstream_st* stream) {
  using Thread = ComponentThread<tile_bits>;
  return launch_filling(component_spectra_kernel<tile_bits>, Thread::kThreads,
                        sizeof(typename SpectrumBlock<Thread>::Shared), spectra.last - spectra.first, spectra,
                        stream);
}

// A block computes consecutive rows of consecutive components.
template <int high_bits>
__global__ void __launch_bounds__(ComponentRowThread<high_bits>::kThreads)
    component_rows_kernel(const __grid_constant__ ComponentRows rows) {
  using Thread = ComponentRowThread<high_bits>;
  using Block = SpectrumBlock<Thread>;
  const std::uint64_t count = std::uint64_t{rows.count} << high_bits;
  const auto last = static_cast<std::uint32_t>(count * (blockIdx.x + 1) / gridDim.x);
  Block block(shared_of<typename Block::Shared>(), rows.counts + (std::uint64_t{Thread::kTop} << high_bits));
  std::uint32_t known = kNoWeight;
  bool exact = true;
  for (auto i = static_cast<std::uint32_t>(count * blockIdx.x / gridDim.x); i < last; ++i) {
    const std::uint32_t component = i >> high_bits, row = i % Thread::kRows;
    if (row == 0) known = kNoWeight;
    Thread thread(rows.tables + static_cast<std::size_t>(component) * Thread::kRows * Thread::kRowWords, row,
                  threadIdx.x);
    thread.load();
    const std::uint32_t lightest = block.take(thread, known, [&](const ComponentFindings& found) {
      WideFindings& all = rows.findings[component];
      atomicMax(reinterpret_cast<unsigned long long*>(&all.peak),
                static_cast<unsigned long long>(found.largest) << 32 | (kNoInput - found.first));
      atomicAdd(&all.nonzero, found.nonzero);
      atomicMin(&all.lightest, found.lightest);
      if (row == 0) all.balanced = found.balanced;
    });
    known = lightest < known ? lightest : known;
    exact &= thread.is_exact();
  }
  if (!exact) *rows.inexact = 1;
  block.finish();
}

template <int high_bits>
int launch_rows(const ComponentRows& rows, CUstream_st* stream) {
  using Thread = ComponentRowThread<high_bits>;
  static_assert(sizeof(typename SpectrumBlock<Thread>::Shared) <= kComponentRowsBytes);
  return launch_filling(component_rows_kernel<high_bits>, Thread::kThreads,
                        sizeof(typename SpectrumBlock<Thread>::Shared),
                        std::uint64_t{rows.count} << high_bits, rows, stream);
}

constexpr unsigned kDegreeThreads = 256;

__global__ void component_degrees_kernel(const ComponentDegrees all) {
  const std::uint32_t mask = blockIdx.x * kDegreeThreads + threadIdx.x;
  if (mask >> all.outputs == 0) all.degrees[mask] = static_cast<std::int8_t>(component_degree(all, mask));
}

constexpr unsigned kSummaryThreads = 256;

template <class Findings>
__global__ void component_summaries_kernel(const __grid_constant__ ComponentSummaries<Findings> all) {
  const std::uint32_t b = blockIdx.x * kSummaryThreads + threadIdx.x;
  std::uint32_t branch = kNoWeight;
  std::uint64_t peak = 0;
  if (b != 0 && b < all.count) {
    const ComponentFindings found = findings_of(all.findings[b]);
    const ComponentSummary summary = summary_of(found, all.inputs, all.scale);
    all.summaries[b] = summary;
    if (found.lightest != kNoWeight) branch = found.lightest + static_cast<std::uint32_t>(ones(b));
    peak = peak_of(summary.largest, found.first, b);
  }
  branch = warp_minimum(branch);
  const auto largest = static_cast<std::uint32_t>(peak >> 41);
  const bool leads = warp_maximum(largest) == largest && largest != 0;
  if (threadIdx.x % 32 == 0 && branch < __ldcg(all.branch)) atomicMin(all.branch, branch);
  if (leads && peak > __ldcg(all.peak))
    atomicMax(reinterpret_cast<unsigned long long*>(all.peak), static_cast<unsigned long long>(peak));
}

template <class Findings>
int launch_summaries(const ComponentSummaries<Findings>& all, CUstream_st* stream) {
  const unsigned blocks = (all.count + kSummaryThreads - 1) / kSummaryThreads;
  component_summaries_kernel<<<blocks, kSummaryThreads, 0, stream>>>(all);
  return cudaGetLastError();
}

}  // namespace

int launch_component_summaries(const ComponentSummaries<ComponentFindings>& all, CUstream_st* stream) {
  return launch_summaries(all, stream);
}

int launch_component_summaries(const ComponentSummaries<WideFindings>& all, CUstream_st* stream) {
  return launch_summaries(all, stream);
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

int launch_component_rows(const ComponentRows& rows, CUstream_st* stream) {
  switch (rows.inputs) {
    case 17:
      return launch_rows<1>(rows, stream);
    case 18:
      return launch_rows<2>(rows, stream);
    case 19:
      return launch_rows<3>(rows, stream);
    case 20:
      return launch_rows<4>(rows, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

int launch_component_degrees(const ComponentDegrees& degrees, CUstream_st* stream) {
  const unsigned blocks = ((1u << degrees.outputs) + kDegreeThreads - 1) / kDegreeThreads;
  component_degrees_kernel<<<blocks, kDegreeThreads, 0, stream>>>(degrees);
  return cudaGetLastError();
}

}  // namespace fugu::kernels
