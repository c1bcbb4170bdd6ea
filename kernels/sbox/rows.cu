// Rows of the difference distribution table and of the autocorrelation table.
#include "kernels/sbox/row_agent.hpp"
#include "kernels/sbox/sbox_shells.cuh"

namespace fugu::kernels {
namespace {

// Counters of delta / 2 below this are in shared memory; a row has few entries beyond.
constexpr std::uint32_t kNearPairs = 1024;

template <int tile_bits>
struct RowShared {
  std::int32_t tile[RowThread<tile_bits>::Tile::kSharedValues];
  std::uint32_t counts[kNearPairs];
};

template <int tile_bits>
__device__ void count_row(const RowThread<tile_bits>& thread, const std::uint16_t* values, int inputs,
                          std::uint32_t a, std::int32_t* tile) {
  thread.clear(tile);
  __syncthreads();
  thread.count(values, inputs, a, [&](unsigned index, std::uint32_t word) {
    atomicAdd(reinterpret_cast<unsigned*>(tile) + index, word);
  });
  __syncthreads();
}

template <int tile_bits>
__global__ void __launch_bounds__(RowThread<tile_bits>::kThreads)
    difference_rows_kernel(const __grid_constant__ DifferenceRows rows) {
  auto& shared = shared_of<RowShared<tile_bits>>();
  RowThread<tile_bits> thread(threadIdx.x);
  clear(shared.counts, kNearPairs);
  __syncthreads();
  const auto visit = [&](std::uint32_t pairs) {
    if (pairs < kNearPairs) {
      atomicAdd(&shared.counts[pairs], 1u);
    } else {
      add_to(rows.counts + pairs, 1);
    }
  };
  std::uint32_t single = 0, twice = 0;
  for (std::uint32_t a = rows.first + blockIdx.x; a < rows.last; a += gridDim.x) {
    count_row(thread, rows.values, rows.inputs, a, shared.tile);
    thread.take(shared.tile);
    const ThreadRow found = thread.find(visit);
    single += found.single;
    twice += found.twice;
    const std::uint32_t lightest =
        __reduce_min_sync(~0u, found.lightest) + static_cast<std::uint32_t>(ones(a));
    if (threadIdx.x % 32 == 0 && lightest < __ldcg(rows.lightest)) atomicMin(rows.lightest, lightest);
    if (threadIdx.x == 0 && found.zero > __ldcg(rows.largest_zero)) atomicMax(rows.largest_zero, found.zero);
    __syncthreads();
  }
  atomicAdd(&shared.counts[1], single);
  atomicAdd(&shared.counts[2], twice);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kNearPairs; i += blockDim.x) {
    if (shared.counts[i] != 0) add_to(rows.counts + i, shared.counts[i]);
  }
}

template <int tile_bits>
__global__ void __launch_bounds__(RowThread<tile_bits>::kThreads)
    autocorrelation_rows_kernel(const __grid_constant__ AutocorrelationRows rows) {
  std::int32_t* const tile = shared_of<RowShared<tile_bits>>().tile;
  RowThread<tile_bits> thread(threadIdx.x);
  for (std::uint32_t a = rows.first + blockIdx.x; a < rows.last; a += gridDim.x) {
    count_row(thread, rows.values, rows.inputs, a, tile);
    thread.take(tile);
    thread.template step<0>(tile);
    __syncthreads();
    thread.template step<1>(tile);
    __syncthreads();
    thread.template step<2>(tile);
    std::uint16_t* const row =
        rows.magnitudes + (static_cast<std::uint64_t>(a - rows.first) << (tile_bits + 1));
    const bool nonzero = thread.store(row, rows.outputs);
    const auto weight = static_cast<std::uint32_t>(ones(a));
    if (nonzero && weight < __ldcg(rows.lightest)) atomicMin(rows.lightest, weight);
    __syncthreads();
  }
}

// A thread takes two columns of every gridDim.y-th row.
constexpr unsigned kColumnThreads = 256;
constexpr unsigned kRowGroups = 16;

__global__ void autocorrelation_columns_kernel(const AutocorrelationColumns columns) {
  const std::uint32_t pair = blockIdx.x * kColumnThreads + threadIdx.x;
  const std::uint32_t pairs = 1u << (columns.bits - 1);
  if (pair >= pairs) return;
  const auto* words = reinterpret_cast<const std::uint32_t*>(columns.magnitudes);
  ColumnSums sums[2];
  for (std::uint32_t row = blockIdx.y; row < columns.rows; row += gridDim.y) {
    const std::uint32_t word = __ldcs(words + static_cast<std::uint64_t>(row) * pairs + pair);
    sums[0].add(word & 0xffffu, columns.whole);
    sums[1].add(word >> 16, columns.whole);
  }
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint32_t b = 2 * pair + i;
    atomicMax(columns.largest + b, sums[i].largest);
    add_to(columns.sums + b, sums[i].squares);
    if (sums[i].structures != 0) atomicAdd(columns.structures + b, sums[i].structures);
  }
}

template <int tile_bits>
int launch(const DifferenceRows& rows, CUstream_st* stream) {
  return launch_filling(difference_rows_kernel<tile_bits>, RowThread<tile_bits>::kThreads,
                        sizeof(RowShared<tile_bits>), rows.last - rows.first, rows, stream);
}

template <int tile_bits>
int launch(const AutocorrelationRows& rows, CUstream_st* stream) {
  return launch_filling(autocorrelation_rows_kernel<tile_bits>, RowThread<tile_bits>::kThreads,
                        sizeof(RowShared<tile_bits>), rows.last - rows.first, rows, stream);
}

template <class Rows>
int launch_by_bits(const Rows& rows, CUstream_st* stream) {
  switch (block_bits(rows.outputs)) {
    case 12:
      return launch<11>(rows, stream);
    case 14:
      return launch<13>(rows, stream);
    default:
      return launch<15>(rows, stream);
  }
}

}  // namespace

int launch_difference_rows(const DifferenceRows& rows, CUstream_st* stream) {
  return launch_by_bits(rows, stream);
}

int launch_autocorrelation_rows(const AutocorrelationRows& rows, CUstream_st* stream) {
  return launch_by_bits(rows, stream);
}

int launch_autocorrelation_columns(const AutocorrelationColumns& columns, CUstream_st* stream) {
  const dim3 blocks(((1u << (columns.bits - 1)) + kColumnThreads - 1) / kColumnThreads, kRowGroups);
  autocorrelation_columns_kernel<<<blocks, kColumnThreads, 0, stream>>>(columns);
  return cudaGetLastError();
}

}  // namespace fugu::kernels
