// Statistics of Boolean functions by matrix units.
#include "kernels/walsh/matrix_agent.hpp"
#include "kernels/walsh/walsh_histogram.cuh"

namespace fugu::kernels {

// A warp's matrix unit, which all lanes call together. It needs compute capability 8.0, as do the passes
// below.
struct MatrixUnit {
  __device__ void count(std::int32_t (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                        std::uint32_t b1) const {
    asm volatile(
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
        "%9}, "
        "{%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }

  __device__ void multiply(Halves& d0, Halves& d1, HadamardMatrix a, Halves b0, Halves b1) const {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %2, %2, %3}, {%4, %5}, {%6, %6};"
        : "=r"(d0.bits), "=r"(d1.bits)
        : "r"(a.positive), "r"(a.negative), "r"(b0.bits), "r"(b1.bits), "r"(0u));
  }

  __device__ void multiply(float (&d)[4], HadamardMatrix a, Halves b0, Halves b1) const {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %5}, {%6, %7}, "
        "{%8, %8, %8, %8};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a.positive), "r"(a.negative), "r"(b0.bits), "r"(b1.bits), "f"(0.0f));
  }
};

namespace {

// Writes max |W| of a block, or kLostValues, to the word for which the host waits.
struct AnswerSink {
  std::uint32_t* answers;
  std::uint32_t largest;

  __device__ void begin() { largest = 0; }
  template <class Tile>
  __device__ void take(const Tile& tile) {
    largest = max(largest, 2 * static_cast<std::uint32_t>(tile.largest()));
  }
  __device__ void lose() { largest = kLostValues; }

  __device__ void end() const {
    __shared__ std::uint32_t of_warps[32];
    const std::uint32_t of_warp = largest_of_warp(largest);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = of_warp;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    const std::uint32_t of_block = largest_of_warp(threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : 0);
    if (threadIdx.x != 0) return;
    answers[blockIdx.x] = of_block;
    __threadfence_system();
  }
};

// Also counts in shared memory, behind the tile, and writes the counters to the block's row in the end.
// Values without a counter are lost, and so are those of a counter that exceeds 16 bits.
template <std::size_t tile_words>
struct CountingSink : AnswerSink {
  CounterRows rows;

  __device__ BlockCounters<false> counters() const {
    return {shared_values<std::uint32_t>() + tile_words, 2 * rows.pairs};
  }

  __device__ void begin() {
    AnswerSink::begin();
    for (std::uint32_t i = threadIdx.x; i < 2 * rows.pairs; i += blockDim.x) counters().words[i] = 0;
    __syncthreads();
  }

  template <class Tile>
  __device__ void take(const Tile& tile) {
    AnswerSink::take(tile);
    if (tile.largest() < static_cast<float>(2 * rows.pairs)) {
      const RowCounter counter = tile.counter();
      const auto block = counters();
      tile.give([&](float y) { block.add(counter(y)); });
    } else {
      lose();
    }
  }

  __device__ void end() {
    __syncthreads();
    const std::uint32_t* from = counters().words;
    std::uint32_t* to = rows.words + blockIdx.x * rows.pairs;
    for (std::uint32_t i = threadIdx.x; i < rows.pairs; i += blockDim.x) {
      const std::uint32_t first = from[2 * i], second = from[2 * i + 1];
      if ((first | second) >> 16 != 0) lose();
      to[i] = first | second << 16;
    }
    AnswerSink::end();
  }
};

template <class Sink>
struct OnceWork {
  using Tile = OnceTile;
  static constexpr int kThreads = Tile::kThreads;
  static constexpr int kBlocksPerSm = 1;
  static constexpr std::size_t kSharedBytes = Tile::kSharedBytes;

  const BitPair* words;
  int chain_bits;
  Sink sink;

  __device__ void operator()(std::uint64_t number) {
#if __CUDA_ARCH__ >= 800
    const MatrixUnit unit;
    auto* shared = shared_values<float>();
    Tile tile;
    tile.count(unit, words, chain_bits, static_cast<unsigned>(number), threadIdx.x);
    tile.multiply(unit, chain_bits, threadIdx.x);
    tile.put(shared, threadIdx.x);
    __syncthreads();
    tile.get(shared, threadIdx.x);
    sink.take(tile.last);
#endif
  }
};

// All blocks run at the same time on an H200.
struct PartialWork {
  using Tile = PartialTile;
  static constexpr int kThreads = Tile::kThreads;
  static constexpr int kBlocksPerSm = 8;
  static constexpr std::size_t kSharedBytes = 0;

  const BitPair* words;
  PartialRows rows;

  __device__ void operator()(std::uint64_t number) {
#if __CUDA_ARCH__ >= 800
    const MatrixUnit unit;
    const auto tile_number = static_cast<unsigned>(number);
    Tile tile;
    tile.load(words, tile_number, threadIdx.x);
#pragma unroll 1
    for (unsigned i = 0; i < Tile::kGroups; ++i) {
      tile.count(unit, i, threadIdx.x);
      tile.store(rows.bytes, i, tile_number, threadIdx.x);
    }
    const int lost = __syncthreads_or(tile.lost() ? 1 : 0);
    if (threadIdx.x == 0) rows.lost[number] = static_cast<std::uint32_t>(lost);
#endif
  }
};

struct PartialRowBlock {
  static constexpr int kThreads = PartialRowTile::kThreads;
  static constexpr std::size_t kSharedBytes = PartialRowTile::kSharedBytes;
};

template <class Sink, class Group>
struct PartialRowWork : PartialRowBlock {
  using Tile = PartialRowTile;
  static_assert(PartialTile::kTiles == kThreads && kPartialTiles == kThreads);
  static_assert(kPartialRows == 1u << kBlockStages && kPartialRowBits + kBlockStages == kPartialVariables);

  PartialRows rows;
  Sink sink;

  __device__ void operator()(std::uint64_t number) {
#if __CUDA_ARCH__ >= 800
    const MatrixUnit unit;
    auto* shared = Group::template shared<std::uint32_t>();
    Tile tile;
    tile.load(rows.bytes, static_cast<unsigned>(number), threadIdx.x);
    tile.multiply_first(unit, threadIdx.x);
    tile.multiply_second(unit, threadIdx.x);
    tile.add();
    if (tile.lost() || rows.lost[threadIdx.x] != 0) sink.lose();
    tile.put(shared, threadIdx.x);
    Group::wait();
    tile.get(shared, threadIdx.x);
    FUGU_UNROLL
    for (unsigned part = 0; part < Tile::kParts; ++part) {
      __syncwarp();  // the sink may have branched
      tile.multiply_last(unit, part, threadIdx.x);
      sink.take(tile.last());
    }
#endif
  }
};

struct SumWork {
  using Sums = CounterSums;
  static_assert(Sums::kPairs == kPairsPerSum);
  static constexpr int kThreads = Sums::kThreads;
  static constexpr int kBlocksPerSm = 2;
  static constexpr std::size_t kSharedBytes = 0;

  CounterRows rows;
  std::uint32_t row_count;
  std::uint32_t* counts;
  std::uint32_t* answers;

  __device__ void operator()(std::uint64_t number) const {
    __shared__ std::uint32_t shared[2 * kThreads];
    const auto block = static_cast<unsigned>(number);
    Sums sums;
    sums.add(rows.words, row_count, rows.pairs, block, threadIdx.x);
    sums.put(shared, threadIdx.x);
    __syncthreads();
    bool fits = true;
    std::uint32_t pair = 0;
    if (threadIdx.x < Sums::kPairs) fits = Sums::sum(shared, threadIdx.x, pair);
    const bool any = __syncthreads_or(pair != 0 ? 1 : 0) != 0;
    if (any && threadIdx.x < Sums::kPairs) {
      counts[block * Sums::kPairs + threadIdx.x] = pair;
      __threadfence_system();
    }
    const bool all_fit = __syncthreads_and(fits ? 1 : 0) != 0;
    if (threadIdx.x == 0) answers[block] = !all_fit ? kLostValues : any ? kSomeCounts : kNoCounts;
  }
};

template <class Sink>
int launch_once(const std::uint32_t* words, int variables, const Sink& sink, std::size_t more_shared,
                CUstream_st* stream) {
  using Work = GatheredOnce<OnceWork<Sink>>;
  const Work work{{reinterpret_cast<const BitPair*>(words), once_chain_bits(variables), sink}};
  return launch_blocks(pass_kernel<Work>, once_blocks(variables), Work::kThreads,
                       Work::kSharedBytes + more_shared, stream, work);
}

// Launches one block per multiprocessor.
template <class Sink>
int launch_rows(const PartialRows& rows, const Sink& sink, std::size_t more_shared, CUstream_st* stream) {
  using Group = BlockGroup<PartialRowBlock::kThreads, PartialRowBlock::kSharedBytes>;
  return launch_gathering<Group, 1>(PartialRowWork<Sink, Group>{{}, rows, sink}, kPartialRows, more_shared,
                                    stream);
}

constexpr std::size_t counter_bytes(const CounterRows& counters) {
  return counters.pairs * BlockCounters<false>::kPairBytes;
}

constexpr bool compiled_for_matrix_units() {
  int newest = 0;  // of those that run on a GPU of compute capability 9.0
  for (const int architecture : {__CUDA_ARCH_LIST__}) {
    if (architecture <= 900 && architecture > newest) newest = architecture;
  }
  return newest >= 800;
}

}  // namespace

bool boolean_matrix_units(int compute_major) {
  return compute_major == 9 && compiled_for_matrix_units();
}

int launch_boolean_once_maximum(const std::uint32_t* words, int variables, std::uint32_t* answers,
                                CUstream_st* stream) {
  return launch_once(words, variables, AnswerSink{answers, 0}, 0, stream);
}

int launch_boolean_once_counters(const std::uint32_t* words, int variables, const CounterRows& counters,
                                 std::uint32_t* answers, CUstream_st* stream) {
  using Sink = CountingSink<OnceWork<AnswerSink>::kSharedBytes / sizeof(std::uint32_t)>;
  return launch_once(words, variables, Sink{{answers, 0}, counters}, counter_bytes(counters), stream);
}

int launch_partial_rows(const std::uint32_t* words, const PartialRows& rows, CUstream_st* stream) {
  return launch_work(PartialWork{reinterpret_cast<const BitPair*>(words), rows}, kPartialTiles, stream);
}

int launch_partial_rows_maximum(const PartialRows& rows, std::uint32_t* answers, CUstream_st* stream) {
  return launch_rows(rows, AnswerSink{answers, 0}, 0, stream);
}

int launch_partial_rows_counters(const PartialRows& rows, const CounterRows& counters, std::uint32_t* answers,
                                 CUstream_st* stream) {
  using Sink = CountingSink<PartialRowBlock::kSharedBytes / sizeof(std::uint32_t)>;
  return launch_rows(rows, Sink{{answers, 0}, counters}, counter_bytes(counters), stream);
}

int launch_sum_counters(const CounterRows& counters, std::uint32_t row_count, std::uint32_t* counts,
                        std::uint32_t* answers, CUstream_st* stream) {
  return launch_work(SumWork{counters, row_count, counts, answers}, counters.pairs / CounterSums::kPairs,
                     stream);
}

}  // namespace fugu::kernels
