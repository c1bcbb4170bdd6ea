// Boxes of more than 16 inputs or outputs. Some spectra or rows at a time are in device memory.
#include "kernels/sbox/box_agent.hpp"
#include "kernels/sbox/sbox_shells.cuh"
#include "kernels/sbox/wide_component_agent.hpp"

namespace fugu::kernels {
namespace {

constexpr unsigned kThreads = 256;

__device__ std::uint32_t first_item() {
  return blockIdx.x * kThreads + threadIdx.x;
}
__device__ std::uint32_t next_item() {
  return gridDim.x * kThreads;
}

// A thread computes some components in Gray code order: consecutive ones differ by one coordinate.
constexpr std::uint32_t kComponentsEach = 16;

__device__ __host__ std::uint32_t components_each(const WideComponents& all) {
  return all.count < kComponentsEach ? all.count : kComponentsEach;
}

__global__ void wide_components_kernel(const WideComponents all) {
  const std::uint32_t each = components_each(all);
  const std::uint32_t w = first_item() % all.words;
  const std::uint32_t first = first_item() / all.words * each;
  if (first >= all.count) return;
  std::uint32_t word = combined_word(all.coordinates, all.words, all.outputs, all.first + first, w);
  for (std::uint32_t i = 0; i < each; ++i) {
    if (i != 0)
      word ^= all.coordinates[static_cast<std::size_t>(__ffs(static_cast<int>(i)) - 1) * all.words + w];
    all.out[static_cast<std::size_t>(first + static_cast<std::uint32_t>(core::gray_code(i))) * all.words +
            w] = word;
  }
}

// A warp's findings about a component. They go to device memory only if they are new there, as rarely as
// possible: all warps of the device would contend for the few words of a component.
class WarpFindings {
 public:
  __device__ explicit WarpFindings(ComponentFindings& findings)
      : findings_(findings),
        largest_(static_cast<std::uint32_t>(__ldcg(&findings.peak) >> 33)),
        lightest_(__ldcg(&findings.lightest)) {}

  template <class Thread>
  __device__ void add(const Thread& thread, const ThreadFindings& mine) {
    nonzero_ += mine.nonzero;
    const std::uint32_t largest = warp_maximum(mine.largest);
    if (largest >= largest_) {
      largest_ = largest;
      const std::uint32_t place =
          warp_minimum(mine.largest == largest ? thread.first_place(largest) : kNoInput);
      if (leads())
        atomicMax(reinterpret_cast<unsigned long long*>(&findings_.peak),
                  static_cast<unsigned long long>(peak_key(2 * largest, place)));
    }
    if (__any_sync(~0u, thread.least_weight() < lightest_)) {
      const std::uint32_t lightest = warp_minimum(thread.lightest());
      if (lightest >= lightest_) return;
      lightest_ = lightest;
      if (leads()) atomicMin(&findings_.lightest, lightest);
    }
  }

  __device__ void finish() const {
    const std::uint32_t nonzero = warp_sum(nonzero_);
    if (leads() && nonzero != 0) atomicAdd(&findings_.nonzero, nonzero);
  }

 private:
  __device__ static bool leads() { return threadIdx.x % 32 == 0; }

  ComponentFindings& findings_;
  std::uint32_t largest_;  // max |W| / 2
  std::uint32_t lightest_;
  std::uint32_t nonzero_ = 0;
};

// Parts of a component that a block computes one after the other.
constexpr std::uint32_t kPartsEach = 8;

// For 20 inputs a thread has 32 values.
template <int inputs>
__global__ void __launch_bounds__(kThreads, inputs == 20 ? 2 : 4)
    wide_spectra_kernel(const __grid_constant__ WideSpectra spectra) {
  using Thread = WideThread<inputs>;
  constexpr std::uint32_t kRuns = 2 * Thread::kPlaces / kThreads / kPartsEach;
  auto& counters = shared_of<HalfCounters>();
  std::uint64_t* const zero = spectra.counts + (std::uint64_t{1} << (inputs - 1));
  counters.clear();
  __syncthreads();
  for (std::uint32_t run = blockIdx.x; run < spectra.count * kRuns; run += gridDim.x) {
    const std::uint32_t component = run / kRuns;
    WarpFindings findings(spectra.findings[component]);
    for (std::uint32_t i = 0; i < kPartsEach; ++i) {
      const std::uint32_t part = run % kRuns * kPartsEach + i;
      const std::uint32_t place = part / 2 * kThreads + threadIdx.x;
      const Thread thread(spectra.narrow + (static_cast<std::uint64_t>(component) << inputs), place,
                          part % 2);
      const ThreadFindings mine = thread.find([&](std::int32_t half) { counters.count_near(half); });
      if (mine.largest >= kNearHalf)
        thread.for_each([&](std::int32_t half) { HalfCounters::count_far(half, zero); });
      findings.add(thread, mine);
      if (place == 0 && part == 0) spectra.findings[component].balanced = thread.balanced() ? 1 : 0;
    }
    findings.finish();
  }
  __syncthreads();
  counters.flush(zero);
}

template <int inputs>
int launch_spectra(const WideSpectra& spectra, CUstream_st* stream) {
  return launch_filling(
      wide_spectra_kernel<inputs>, kThreads, sizeof(HalfCounters),
      std::uint64_t{spectra.count} * (2 * WideThread<inputs>::kPlaces / kThreads / kPartsEach), spectra,
      stream);
}

// Threads of a block that counts a row in shared memory.
constexpr unsigned kRowThreads = 1024;

__global__ void __launch_bounds__(kRowThreads) shared_rows_kernel(const __grid_constant__ WideRows rows) {
  auto* const counters = &shared_of<std::uint32_t>();
  const std::uint32_t size = 1u << rows.outputs;
  for (std::uint32_t a = rows.first + blockIdx.x; a < rows.last; a += gridDim.x) {
    clear(counters, size);
    __syncthreads();
    for_each_pair<kRowThreads>(rows.values, threadIdx.x, 1u << (rows.inputs - 1), a,
                               [&](std::uint32_t b) { atomicAdd(counters + b, 1u); });
    __syncthreads();
    std::uint32_t* const row = rows.pairs + (static_cast<std::uint64_t>(a - rows.first) << rows.outputs);
    for (std::uint32_t b = threadIdx.x; b < size; b += kRowThreads) row[b] = counters[b];
    __syncthreads();
  }
}

// Blocks share a row whose counters are in device memory.
constexpr std::uint32_t kPairsEach = 8 * kThreads;

__global__ void rows_kernel(const __grid_constant__ WideRows rows) {
  const std::uint32_t pairs = 1u << (rows.inputs - 1);
  const std::uint32_t parts = (pairs + kPairsEach - 1) / kPairsEach;
  const std::uint32_t a = rows.first + blockIdx.x / parts;
  const std::uint32_t first = blockIdx.x % parts * kPairsEach;
  const std::uint32_t last = first + kPairsEach < pairs ? first + kPairsEach : pairs;
  std::uint32_t* const row = rows.pairs + (static_cast<std::uint64_t>(a - rows.first) << rows.outputs);
  for_each_pair<kThreads>(rows.values, first + threadIdx.x, last, a,
                          [&](std::uint32_t b) { atomicAdd(row + b, 1u); });
}

// The number of entries that a thread reads before it checks the first.
constexpr unsigned kEntriesAtOnce = 8;

__global__ void __launch_bounds__(kThreads)
    wide_differences_kernel(const __grid_constant__ WideDifferences all) {
  auto& shared = shared_of<EntryCounts>();
  shared.clear();
  __syncthreads();
  const WideRows& rows = all.rows;
  const auto count_many = [&](std::uint32_t many) { shared.count(many, all.counts); };
  PairTally tally;
  std::uint32_t lightest = kNoWeight;
  const std::uint32_t entries = (rows.last - rows.first) << rows.outputs;
  for (std::uint32_t first = first_item(); first < entries; first += kEntriesAtOnce * next_item()) {
    std::uint32_t pairs[kEntriesAtOnce];
    FUGU_UNROLL
    for (unsigned i = 0; i < kEntriesAtOnce; ++i) {
      const std::uint32_t entry = first + i * next_item();
      pairs[i] = entry < entries ? rows.pairs[entry] : 0;
    }
    FUGU_UNROLL
    for (unsigned i = 0; i < kEntriesAtOnce; ++i) {
      if (pairs[i] == 0) continue;
      const std::uint32_t entry = first + i * next_item();
      tally.add(pairs[i], count_many);
      const std::uint32_t b = entry & ((1u << rows.outputs) - 1);
      if (b == 0 && 2 * pairs[i] > __ldcg(all.largest_zero)) atomicMax(all.largest_zero, 2 * pairs[i]);
      const std::uint32_t weight = weight_of_entry(rows.first + (entry >> rows.outputs), b);
      lightest = weight < lightest ? weight : lightest;
    }
  }
  shared.add(tally);
  lightest = warp_minimum(lightest);
  if (threadIdx.x % 32 == 0 && lightest < __ldcg(all.lightest)) atomicMin(all.lightest, lightest);
  __syncthreads();
  shared.flush(all.counts);
}

// A thread adds up a column over every gridDim.y-th row.
constexpr unsigned kRowsAtOnce = 8;
constexpr std::uint32_t kRowsEach = 64;
constexpr std::uint32_t kMaxGroups = 1024;

__global__ void wide_columns_kernel(const __grid_constant__ WideColumns columns) {
  const std::uint32_t b = first_item();
  if (b >> columns.outputs != 0) return;
  ColumnSums sums;
  std::uint32_t lightest = kNoWeight;
  for (std::uint32_t first = columns.first + blockIdx.y; first < columns.last;
       first += kRowsAtOnce * gridDim.y) {
    std::uint32_t half[kRowsAtOnce];
    FUGU_UNROLL
    for (unsigned i = 0; i < kRowsAtOnce; ++i) {
      const std::uint32_t a = first + i * gridDim.y;
      std::int32_t* const value =
          columns.halves + (static_cast<std::uint64_t>(a - columns.first) << columns.outputs) + b;
      half[i] = a < columns.last ? magnitude(*value) : 0;
      if (half[i] != 0) *value = 0;
    }
    FUGU_UNROLL
    for (unsigned i = 0; i < kRowsAtOnce; ++i) {
      const auto weight = static_cast<std::uint32_t>(ones(first + i * gridDim.y));
      sums.add(half[i], columns.whole);
      if (half[i] != 0 && weight < lightest) lightest = weight;
    }
  }
  if (b != 0 && lightest < __ldcg(columns.lightest)) atomicMin(columns.lightest, lightest);
  if (gridDim.y == 1) {
    if (sums.largest > columns.largest[b]) columns.largest[b] = sums.largest;
    columns.sums[b] += sums.squares;
  } else {
    atomicMax(columns.largest + b, sums.largest);
    add_to(columns.sums + b, sums.squares);
  }
  if (sums.structures != 0) atomicAdd(columns.structures + b, sums.structures);
}

unsigned blocks_for(std::uint64_t items) {
  return static_cast<unsigned>((items + kThreads - 1) / kThreads);
}

}  // namespace

int launch_wide_components(const WideComponents& components, CUstream_st* stream) {
  const std::uint64_t threads =
      std::uint64_t{components.count} / components_each(components) * components.words;
  wide_components_kernel<<<blocks_for(threads), kThreads, 0, stream>>>(components);
  return cudaGetLastError();
}

int launch_wide_spectra(const WideSpectra& spectra, CUstream_st* stream) {
  switch (spectra.inputs) {
    case 17:
      return launch_spectra<17>(spectra, stream);
    case 18:
      return launch_spectra<18>(spectra, stream);
    case 19:
      return launch_spectra<19>(spectra, stream);
    case 20:
      return launch_spectra<20>(spectra, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

int launch_wide_rows(const WideRows& rows, CUstream_st* stream) {
  const std::uint32_t count = rows.last - rows.first;
  if (rows.outputs <= kMaxSharedOutputs)
    return launch_filling(shared_rows_kernel, kRowThreads, sizeof(std::uint32_t) << rows.outputs, count, rows,
                          stream);
  const std::uint32_t pairs = 1u << (rows.inputs - 1);
  const std::uint32_t parts = (pairs + kPairsEach - 1) / kPairsEach;
  rows_kernel<<<count * parts, kThreads, 0, stream>>>(rows);
  return cudaGetLastError();
}

int launch_wide_differences(const WideDifferences& differences, CUstream_st* stream) {
  const WideRows& rows = differences.rows;
  const std::uint64_t entries = std::uint64_t{rows.last - rows.first} << rows.outputs;
  return launch_filling(wide_differences_kernel, kThreads, sizeof(EntryCounts), blocks_for(entries),
                        differences, stream);
}

int launch_wide_columns(const WideColumns& columns, CUstream_st* stream) {
  const std::uint32_t groups = (columns.last - columns.first + kRowsEach - 1) / kRowsEach;
  const dim3 blocks(blocks_for(std::uint64_t{1} << columns.outputs),
                    groups < kMaxGroups ? groups : kMaxGroups);
  wide_columns_kernel<<<blocks, kThreads, 0, stream>>>(columns);
  return cudaGetLastError();
}

}  // namespace fugu::kernels
