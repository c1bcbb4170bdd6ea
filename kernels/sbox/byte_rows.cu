// Rows of boxes of 16 to 20 outputs that fit bytes after the first stages.
#include "kernels/sbox/bulk_ring.cuh"
#include "kernels/sbox/byte_row_agent.hpp"
#include "kernels/sbox/hadamard.cuh"
#include "kernels/sbox/row_counting.cuh"

namespace fugu::kernels {
namespace {

// A row of 16 outputs takes little of a multiprocessor's shared memory: some blocks count while others
// transform.
template <int outputs>
struct ByteRowBlocks {
  static constexpr unsigned kThreads = outputs == 16 ? 256 : 1024;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  static constexpr unsigned kOnEach = 1;  // the kernel is not used there, and 6 may be too many
#else
  static constexpr unsigned kOnEach = outputs == 16 ? 6 : 1;
#endif
};

// Blocks share a row: each takes at most `quads` groups of four tiles.
template <class Value>
struct BytePieces {
  ByteRows<Value> rows;
  std::uint32_t pieces;
  std::uint32_t quads;
  std::uint32_t mean;  // the mean sum of the counters of a tile
};

template <int outputs>
constexpr std::uint32_t kQuadWords = 4 << (ByteLayout<outputs>::kTileBits - 3);

template <int outputs>
constexpr std::uint32_t kRowQuads = (1u << (outputs - 3)) / kQuadWords<outputs>;

template <int outputs>
class ByteRowBlock {
 public:
  using Lane = ByteTileLane<outputs>;
  static constexpr unsigned kThreads = ByteRowBlocks<outputs>::kThreads;

  template <class Value>
  __device__ static void run(const BytePieces<Value>& all, std::uint32_t* counters, std::uint32_t* entries) {
    const ByteRows<Value>& rows = all.rows;
    const SharedCounters shared(counters);
    const Hadamard hadamard(kCountedOne);
    const std::uint32_t words = all.quads * kQuadWords<outputs>;
    const std::uint32_t items = (rows.last - rows.first) * all.pieces;
    std::uint32_t excess = 0;
    for (std::uint32_t item = blockIdx.x; item < items; item += gridDim.x) {
      const std::uint32_t row = item / all.pieces, piece = item % all.pieces;
      const std::uint32_t a = rows.first + row, start = piece * words;
      clear_fours(counters, words);
      __syncthreads();
      for_each_pair_of<kThreads>(rows, a, [&](std::uint32_t b) {
        const std::uint32_t word = nibble_word(b) - start;
        if constexpr (outputs == 16) {
          shared.add(word, nibble_one(b));
        } else {
          shared.add_if(word < words, word, nibble_one(b));
        }
      });
      if (piece == 0) note_lightest<kThreads>(rows, a);
      __syncthreads();
      if (piece == 0 && threadIdx.x == 0) note_zero(rows, counters[0] & 15);
      const std::uint32_t first = piece * all.quads, left = kRowQuads<outputs> - first;
      excess |= transform(hadamard, counters, first, left < all.quads ? left : all.quads, all.mean, rows,
                          rows.bytes + (static_cast<std::uint64_t>(row) << (outputs - 2)), entries);
      __syncthreads();
    }
    if (excess != 0) *rows.inexact = 1;
    if (threadIdx.x <= FewPairs::kFew && entries[threadIdx.x] != 0)
      add_to(rows.counts + threadIdx.x, entries[threadIdx.x]);
  }

 private:
  using Matrices = std::uint32_t[Lane::kWords][4];

  // Transforms two tiles and packs them into bytes. `words` are the lane's words of both. Returns the excess
  // bits.
  __device__ static std::uint32_t two_tiles(const Hadamard& hadamard, const std::uint32_t* words,
                                            std::uint32_t mean, Matrices& bytes) {
    Lane tiles[2];
    std::uint32_t excess = 0;
    FUGU_UNROLL
    for (unsigned tile = 0; tile < 2; ++tile) {
      std::uint32_t mine[Lane::kWords];
      FUGU_UNROLL
      for (unsigned j = 0; j < Lane::kWords; ++j) mine[j] = words[tile * Lane::kWords + j];
      tiles[tile].load(mine);
      FUGU_UNROLL
      for (unsigned j = 0; j < Lane::kWords; ++j) {
        hadamard.from_left(tiles[tile].x[j]);
        hadamard.from_right(tiles[tile].x[j], Lane::first_bias(threadIdx.x % 32, j, mean), Lane::kBias);
      }
      excess |= tiles[tile].excess();
    }
    FUGU_UNROLL
    for (unsigned j = 0; j < Lane::kWords; ++j) {
      FUGU_UNROLL
      for (unsigned i = 0; i < 4; ++i) bytes[j][i] = bytes_of_two(tiles[0].x[j][i], tiles[1].x[j][i]);
    }
    return excess;
  }

  __device__ static void store(const Matrices& one, const Matrices& other, std::uint32_t quad,
                               std::uint32_t* row) {
    const unsigned lane = threadIdx.x % 32;
    FUGU_UNROLL
    for (unsigned j = 0; j < Lane::kWords; ++j) {
      FUGU_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        row[byte_place<outputs>(quad, lane, j, i, 0)] = low_halves(one[j][i], other[j][i]);
        row[byte_place<outputs>(quad, lane, j, i, 1)] = high_halves(one[j][i], other[j][i]);
      }
    }
  }

  // Transforms the quads that the block has counted, from quad `first` on. Returns the bits that do not fit
  // bytes.
  template <class Rows>
  __device__ static std::uint32_t transform(const Hadamard& hadamard, const std::uint32_t* counters,
                                            std::uint32_t first, std::uint32_t quads, std::uint32_t mean,
                                            const Rows& rows, std::uint32_t* row, std::uint32_t* entries) {
    struct alignas(4 * Lane::kWords) Words {
      std::uint32_t of[Lane::kWords];
    };
    std::uint32_t excess = 0;
    FewPairs few;
    for (std::uint32_t quad = threadIdx.x / 32; quad < quads; quad += kThreads / 32) {
      const auto* const from =
          reinterpret_cast<const Words*>(counters + quad * kQuadWords<outputs>) + threadIdx.x % 32;
      std::uint32_t words[4 * Lane::kWords];
      FUGU_UNROLL
      for (unsigned tile = 0; tile < 4; ++tile) {
        const Words here = from[32 * tile];
        FUGU_UNROLL
        for (unsigned j = 0; j < Lane::kWords; ++j) words[tile * Lane::kWords + j] = here.of[j];
      }
      few.add(words, [&](std::uint32_t pairs) { add_to(rows.counts + pairs, 1); });
      Matrices one, other;
      excess |= two_tiles(hadamard, words, mean, one);
      excess |= two_tiles(hadamard, words + 2 * Lane::kWords, mean, other);
      store(one, other, first + quad, row);
    }
    add_in_warp(few, [&](std::uint32_t pairs, std::uint32_t count) { atomicAdd(entries + pairs, count); });
    return excess;
  }
};

template <int outputs, class Value>
__global__ void __launch_bounds__(ByteRowBlocks<outputs>::kThreads, ByteRowBlocks<outputs>::kOnEach)
    byte_rows_kernel(const __grid_constant__ BytePieces<Value> all) {
#if __CUDA_ARCH__ >= 900
  __shared__ std::uint32_t entries[FewPairs::kFew + 1];
  clear(entries, FewPairs::kFew + 1);
  ByteRowBlock<outputs>::run(all, &shared_of<std::uint32_t>(), entries);
#else
  *all.rows.inexact = 1;
#endif
}

constexpr unsigned kRingSlots = 8;
using ByteRing = BulkRing<kRingSlots, 4 * kByteGroupWords>;

// Adds a lane's sums to the results. `warp` is the index of its warp among all warps of a row.
template <int outputs>
__device__ void keep(const ByteColumns& columns, const ByteColumnLane<outputs>& mine, std::uint32_t warp) {
  if (!mine.is_exact(columns.odd != 0)) *columns.inexact = 1;
  FUGU_UNROLL
  for (unsigned i = 0; i < mine.kColumns; ++i) {
    const std::uint32_t place = (warp * mine.kColumns + i) * 32 + threadIdx.x % 32;
    const bool odd = (ones(byte_column<outputs>(place) & columns.odd) & 1) != 0;
    const std::uint32_t largest = mine.largest(i, odd);
    if (largest == 0) continue;
    atomicMax(columns.largest + place, largest);
    add_to(columns.sums + place, mine.squares(i));
  }
}

// A block adds up one group of columns over some rows.
template <int outputs>
__device__ void add_columns(const ByteColumns& columns, ByteRing::Shared& shared) {
  constexpr std::uint32_t kGroups = ByteLayout<outputs>::kGroups;
  const std::uint32_t group = blockIdx.x % kGroups,
                      first = columns.first + blockIdx.x / kGroups * columns.each;
  const std::uint32_t count = columns.last - first < columns.each ? columns.last - first : columns.each;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint32_t* const from = columns.bytes +
                                    (static_cast<std::uint64_t>(first - columns.first) << (outputs - 2)) +
                                    group * kByteGroupWords;
  const ByteRing ring(shared);
  const auto fetch = [&](std::uint32_t row) {
    if (row < count) ring.fetch(row, from + (static_cast<std::uint64_t>(row) << (outputs - 2)));
  };
  if (threadIdx.x == 0) {
    for (std::uint32_t row = 0; row < kRingSlots - 1; ++row) fetch(row);
  }
  const Hadamard hadamard(kPlainOne), quarter(kQuarter);
  const std::uint32_t lightest = __ldcg(columns.lightest);
  ByteColumnLane<outputs> mine;
  for (std::uint32_t row = 0; row < count; ++row) {
    mine.load(ring.take<std::uint32_t>(row), warp, lane);
    ring.release(row);
    if (threadIdx.x == 0) fetch(row + kRingSlots - 1);
    __syncwarp();
    FUGU_UNROLL
    for (unsigned c = 0; c < mine.kMatrices; ++c) {
      float d[2][4];
      hadamard.from_left(mine.x[c], 0, d[0]);
      hadamard.from_left(mine.x[c], 1, d[1]);
      mine.narrow(c, 0, d[0]);
      mine.narrow(c, 1, d[1]);
    }
    const auto weight = static_cast<std::uint32_t>(ones(first + row));
    if (weight < lightest && mine.has_nonzero()) atomicMin(columns.lightest, weight);
    __syncwarp();
    FUGU_UNROLL
    for (unsigned c = 0; c < mine.kMatrices; ++c) {
      FUGU_UNROLL
      for (unsigned n = 0; n < 2; ++n) {
        float d[4];
        quarter.from_right(mine.x[c], n, d);
        mine.add(c, n, d);
      }
    }
  }
  keep(columns, mine, group * 8 + warp);
}

template <int outputs>
__global__ void __launch_bounds__(kByteColumnThreads, 1)
    byte_columns_kernel(const __grid_constant__ ByteColumns columns) {
#if __CUDA_ARCH__ >= 900
  auto& shared = shared_of<ByteRing::Shared>();
  if (threadIdx.x == 0) ByteRing::prepare(shared, kByteColumnThreads / 32);
  __syncthreads();
  add_columns<outputs>(columns, shared);
#else
  *columns.inexact = 1;
#endif
}

template <int outputs>
int launch_columns(const ByteColumns& columns, CUstream_st* stream) {
  constexpr auto kBytes = static_cast<int>(sizeof(ByteRing::Shared));
  const int status =
      cudaFuncSetAttribute(byte_columns_kernel<outputs>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (status != cudaSuccess) return status;
  const std::uint32_t parts = (columns.last - columns.first + columns.each - 1) / columns.each;
  byte_columns_kernel<outputs>
      <<<parts * ByteLayout<outputs>::kGroups, kByteColumnThreads, kBytes, stream>>>(columns);
  return cudaGetLastError();
}

template <int outputs, class Value>
int launch_rows(const ByteRows<Value>& rows, CUstream_st* stream) {
  constexpr std::uint32_t kQuads = kRowQuads<outputs>;
  constexpr std::uint32_t kMost = kMostByteRowBytes / sizeof(std::uint32_t) / kQuadWords<outputs>;
  constexpr std::uint32_t kPieces = (kQuads + kMost - 1) / kMost;
  constexpr std::uint32_t kEach = (kQuads + kPieces - 1) / kPieces;
  const std::uint32_t mean = 1u << (ByteLayout<outputs>::kTileBits + rows.inputs - 1 - outputs);
  return launch_filling(byte_rows_kernel<outputs, Value>, ByteRowBlocks<outputs>::kThreads,
                        kEach * kQuadWords<outputs> * sizeof(std::uint32_t),
                        std::uint64_t{rows.last - rows.first} * kPieces,
                        BytePieces<Value>{rows, kPieces, kEach, mean}, stream);
}

constexpr unsigned kOrderThreads = 256;

template <int outputs>
__global__ void byte_order_kernel(const ByteOrder all) {
  const std::uint32_t place = blockIdx.x * kOrderThreads + threadIdx.x;
  const std::uint32_t b = byte_column<outputs>(place);
  all.largest[b] = all.largest_by_place[place];
  all.sums[b] = all.sums_by_place[place];
}

template <int outputs>
int launch_order(const ByteOrder& all, CUstream_st* stream) {
  byte_order_kernel<outputs><<<(1u << outputs) / kOrderThreads, kOrderThreads, 0, stream>>>(all);
  return cudaGetLastError();
}

constexpr unsigned kSumThreads = 256;

__global__ void value_sum_kernel(const ValueSum all) {
  std::uint32_t sum = 0;
  for (std::uint32_t x = blockIdx.x * kSumThreads + threadIdx.x; x < all.count; x += gridDim.x * kSumThreads)
    sum ^= all.values[x];
  sum = combine_in_warp(sum, [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
  if (threadIdx.x % 32 == 0 && sum != 0) atomicXor(all.sum, sum);
}

}  // namespace

int launch_byte_rows(const ByteRows<std::uint16_t>& rows, CUstream_st* stream) {
  return rows.outputs == 16 ? launch_rows<16>(rows, stream) : static_cast<int>(cudaErrorInvalidValue);
}

int launch_byte_rows(const ByteRows<std::uint32_t>& rows, CUstream_st* stream) {
  switch (rows.outputs) {
    case 17:
      return launch_rows<17>(rows, stream);
    case 18:
      return launch_rows<18>(rows, stream);
    case 19:
      return launch_rows<19>(rows, stream);
    case 20:
      return launch_rows<20>(rows, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

int launch_byte_columns(const ByteColumns& columns, CUstream_st* stream) {
  switch (columns.outputs) {
    case 16:
      return launch_columns<16>(columns, stream);
    case 17:
      return launch_columns<17>(columns, stream);
    case 18:
      return launch_columns<18>(columns, stream);
    case 19:
      return launch_columns<19>(columns, stream);
    case 20:
      return launch_columns<20>(columns, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

int launch_byte_order(const ByteOrder& all, CUstream_st* stream) {
  switch (all.outputs) {
    case 16:
      return launch_order<16>(all, stream);
    case 17:
      return launch_order<17>(all, stream);
    case 18:
      return launch_order<18>(all, stream);
    case 19:
      return launch_order<19>(all, stream);
    case 20:
      return launch_order<20>(all, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

int launch_value_sum(const ValueSum& all, CUstream_st* stream) {
  constexpr unsigned kBlocks = 64;
  value_sum_kernel<<<kBlocks, kSumThreads, 0, stream>>>(all);
  return cudaGetLastError();
}

}  // namespace fugu::kernels
