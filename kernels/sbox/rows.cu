// Rows of the difference distribution table and of the autocorrelation table.
#include "kernels/sbox/sbox_shells.cuh"

namespace fugu::kernels {
namespace {

template <int tile_bits>
struct RowShared {
  std::int32_t tile[RowThread<tile_bits>::Tile::kSharedValues];
  EntryCounts entries;
};

// Clears the words of a warp's last two windows.
template <int tile_bits>
__device__ void clear_words_of_warp(RowShared<tile_bits>& shared) {
  constexpr unsigned kFours =
      RowThread<tile_bits>::Tile::kSharedValues / RowThread<tile_bits>::kThreads * 32 / 4;
  auto* const fours = reinterpret_cast<int4*>(shared.tile) + threadIdx.x / 32 * kFours;
  for (unsigned i = threadIdx.x % 32; i < kFours; i += 32) fours[i] = {};
}

// Updates the least weight of a nonzero entry, unless the weight of a rules out a smaller one.
template <int tile_bits>
__device__ void note_lightest(const DifferenceRows& rows, const RowThread<tile_bits>& thread,
                              std::uint32_t a) {
  const auto weight = static_cast<std::uint32_t>(ones(a));
  if (weight >= __ldcg(rows.lightest)) return;
  const std::uint32_t lightest = warp_minimum(thread.lightest(rows.values, rows.inputs, a)) + weight;
  if (threadIdx.x % 32 == 0 && lightest < __ldcg(rows.lightest)) atomicMin(rows.lightest, lightest);
}

// Updates the largest delta(a,0) from a counted row.
template <int tile_bits>
__device__ void note_zero(const DifferenceRows& rows, const RowShared<tile_bits>& shared) {
  if (threadIdx.x != 0) return;
  const std::uint32_t zero = RowThread<tile_bits>::zero_of(shared.tile);
  if (zero > __ldcg(rows.largest_zero)) atomicMax(rows.largest_zero, zero);
}

template <int tile_bits>
__global__ void __launch_bounds__(RowThread<tile_bits>::kThreads)
    autocorrelation_rows_kernel(const __grid_constant__ AutocorrelationRows all) {
  auto& shared = shared_of<RowShared<tile_bits>>();
  std::int32_t* const tile = shared.tile;
  const DifferenceRows& rows = all.rows;
  RowThread<tile_bits> thread(threadIdx.x);
  PairTally tally;
  shared.entries.clear();
  for (std::uint32_t a = rows.first + blockIdx.x; a < rows.last; a += gridDim.x) {
    clear_words_of_warp(shared);
    __syncthreads();
    thread.count(rows.values, rows.inputs, a, [&](unsigned index, std::uint32_t word) {
      atomicAdd(reinterpret_cast<unsigned*>(tile) + index, word);
    });
    note_lightest(rows, thread, a);
    __syncthreads();
    note_zero(rows, shared);
    thread.take(tile);
    thread.tally(tally, [&](std::uint32_t pairs) { shared.entries.count(pairs, rows.counts); });
    thread.template step<0>(tile);
    __syncthreads();
    thread.template step<1>(tile);
    __syncwarp();  // the last two windows of a warp share their words
    thread.template step<2>(tile);
    std::uint32_t* const row = all.magnitudes + (static_cast<std::uint64_t>(a - rows.first) << tile_bits);
    const auto weight = static_cast<std::uint32_t>(ones(a));
    if (weight < __ldcg(all.lightest) && thread.has_nonzero(rows.outputs)) atomicMin(all.lightest, weight);
    thread.store(row);
    __syncwarp();
  }
  shared.entries.add(tally);
  __syncthreads();
  shared.entries.flush(rows.counts);
}

// A thread adds up the two columns of a word over every gridDim.y-th row. It reads kRowsAtOnce rows before it
// adds the first.
constexpr unsigned kRowsAtOnce = 8;
constexpr unsigned kColumnThreads = 256;
constexpr unsigned kRowGroups = 16;

__global__ void autocorrelation_columns_kernel(const AutocorrelationColumns columns) {
  const std::uint32_t at = blockIdx.x * kColumnThreads + threadIdx.x;
  const std::uint32_t words = 1u << (columns.bits - 1);
  if (at >= words) return;
  ColumnSums sums[2];
  for (std::uint32_t first = blockIdx.y; first < columns.rows; first += kRowsAtOnce * gridDim.y) {
    std::uint32_t word[kRowsAtOnce];
    FUGU_UNROLL
    for (unsigned i = 0; i < kRowsAtOnce; ++i) {
      const std::uint32_t row = first + i * gridDim.y;
      word[i] =
          row < columns.rows ? __ldcs(columns.magnitudes + static_cast<std::uint64_t>(row) * words + at) : 0;
    }
    FUGU_UNROLL
    for (unsigned i = 0; i < kRowsAtOnce; ++i) {
      sums[0].add(word[i] & 0xffffu, columns.whole);
      sums[1].add(word[i] >> 16, columns.whole);
    }
  }
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint32_t b = stored_column(at, columns.bits - 1) + i * words;
    atomicMax(columns.largest + b, sums[i].largest);
    add_to(columns.sums + b, sums[i].squares);
    if (sums[i].structures != 0) atomicAdd(columns.structures + b, sums[i].structures);
  }
}

template <int tile_bits>
int launch(const AutocorrelationRows& rows, CUstream_st* stream) {
  return launch_filling(autocorrelation_rows_kernel<tile_bits>, RowThread<tile_bits>::kThreads,
                        sizeof(RowShared<tile_bits>), rows.rows.last - rows.rows.first, rows, stream);
}

}  // namespace

int launch_autocorrelation_rows(const AutocorrelationRows& rows, CUstream_st* stream) {
  switch (block_bits(rows.rows.outputs)) {
    case 12:
      return launch<11>(rows, stream);
    case 14:
      return launch<13>(rows, stream);
    default:
      return launch<15>(rows, stream);
  }
}

int launch_autocorrelation_columns(const AutocorrelationColumns& columns, CUstream_st* stream) {
  const dim3 blocks(((1u << (columns.bits - 1)) + kColumnThreads - 1) / kColumnThreads, kRowGroups);
  autocorrelation_columns_kernel<<<blocks, kColumnThreads, 0, stream>>>(columns);
  return cudaGetLastError();
}

}  // namespace fugu::kernels
