// Statistics of Boolean functions by matrix units.
#include "kernels/walsh/counter_sum_agent.hpp"
#include "kernels/walsh/once_agent.hpp"
#include "kernels/walsh/partial_agent.hpp"
#include "kernels/walsh/walsh_answers.cuh"

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

  __device__ void multiply(Halves& d0, Halves& d1, const HadamardMatrix& a, Halves b0, Halves b1) const {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %8};"
        : "=r"(d0.bits), "=r"(d1.bits)
        : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b0.bits), "r"(b1.bits),
          "r"(0u));
  }

  __device__ void multiply(float (&d)[4], const HadamardMatrix& a, Halves b0, Halves b1) const {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %10, %10, %10};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b0.bits), "r"(b1.bits),
          "f"(0.0f));
  }
};

namespace {

template <int variables, int top_bits, class Sink>
struct OnceWork {
  using Tile = OnceTile<variables, top_bits>;
  static constexpr int kThreads = Tile::kThreads;
  static constexpr int kBlocksPerSm = 1;
  static constexpr std::size_t kSharedBytes = Tile::kSharedBytes;

  const BitPair* words;
  Sink sink;

  __device__ void operator()(std::uint64_t number) {
#if __CUDA_ARCH__ >= 800
    const MatrixUnit unit;
    auto* shared = shared_values<float>();
    Tile tile;
    tile.count(unit, words, static_cast<unsigned>(number), threadIdx.x);
    FUGU_UNROLL
    for (unsigned top = 0; top < Tile::kParts; ++top) {
      if (top != 0) __syncthreads();
      tile.multiply(unit, top, threadIdx.x);
      tile.put(shared, threadIdx.x);
      __syncthreads();
      tile.get(shared, threadIdx.x);
      if constexpr (Sink::kShift != 0) tile.last.shift(Sink::kShift);
      sink.take(tile.last);
    }
#endif
  }
};

// All blocks run at the same time on an H200.
struct PartialWork {
  using Tile = PartialTile;
  static constexpr int kThreads = Tile::kThreads;
  static constexpr int kBlocksPerSm = 4;
  static constexpr std::size_t kSharedBytes = 0;

  const BitPair* words;
  PartialRows rows;

  __device__ void operator()(std::uint64_t number) {
#if __CUDA_ARCH__ >= 800
    const MatrixUnit unit;
    const auto tile_number = static_cast<unsigned>(number);
    Tile tile;
    tile.load(words, tile_number, threadIdx.x);
    FUGU_UNROLL
    for (unsigned half = 0; half < Tile::kHalves; ++half) {
      tile.weigh(unit, half);
      tile.set_bias(half);
    }
#pragma unroll 1
    for (unsigned i = 0; i < Tile::kGroups; ++i) {
      FUGU_UNROLL
      for (unsigned half = 0; half < Tile::kHalves; ++half) {
        tile.count(unit, i, half, threadIdx.x);
        tile.add(i, half, threadIdx.x);
      }
      tile.store(rows.bytes, i, tile_number, threadIdx.x);
    }
    const int lost = __syncthreads_or(tile.lost() ? 1 : 0);
    if (threadIdx.x == 0) rows.lost[number] = static_cast<std::uint32_t>(lost);
#endif
  }
};

// A block has two groups.
struct PartialRowBlock {
  static constexpr int kThreads = PartialRowTile::kThreads;
  static constexpr int kGroups = 2;
  static constexpr std::size_t kSharedBytes = PartialRowTile::kSharedBytes;
};

template <class Sink, class Group>
struct PartialRowWork : PartialRowBlock {
  using Tile = PartialRowTile;
  static_assert(PartialTile::kTiles == kPartialTiles && kPartialTiles == kThreads);
  static_assert(kPartialRows == 2u << kBlockStages &&
                kPartialRowBits + kBlockStages + 1 == kPartialVariables);

  PartialRows rows;
  Sink sink;

  __device__ void operator()(std::uint64_t number) {
#if __CUDA_ARCH__ >= 800
    const MatrixUnit unit;
    auto* shared = Group::template shared<std::uint32_t>();
    Tile tile;
    if constexpr (!std::is_same_v<Sink, AnswerSink>) {
      if (threadIdx.y == 1 && number < 2 * gridDim.x) sink.wait_for_first();
    }
    tile.load(rows.bytes, static_cast<unsigned>(number), threadIdx.x);
    tile.multiply_first(unit, threadIdx.x);
    const HadamardMatrix matrix = hadamard_16(threadIdx.x);
    tile.multiply_second(unit, matrix);
    tile.add();
    if (tile.lost() || rows.lost[threadIdx.x] != 0) sink.lose();
    Group::wait_for_earlier_tile();
    tile.put(shared, threadIdx.x);
    Group::wait();
    tile.get(shared, threadIdx.x);
    if constexpr (!std::is_same_v<Sink, AnswerSink>) {
      if (threadIdx.x == 0 && number < gridDim.x) sink.start_second();
    }
    FUGU_UNROLL
    for (unsigned part = 0; part < Tile::kParts; ++part) {
      __syncwarp();  // the sink may have branched
      tile.multiply_last(unit, part, matrix);
      sink.take(tile.last(Sink::kShift));
    }
#endif
  }
};

struct SumWork {
  using Sums = CounterSums;
  static_assert(Sums::kPairs == kPairsPerSum);
  static constexpr int kThreads = Sums::kThreads;
  static constexpr int kBlocksPerSm = 1;
  static constexpr std::size_t kSharedBytes = 0;

  CounterRows rows;
  std::uint32_t row_count;
  std::uint32_t* counts;

  __device__ void operator()(std::uint64_t number) const {
    __shared__ std::uint32_t shared[2 * kThreads];
    const auto block = static_cast<unsigned>(number);
    Sums sums;
    sums.add(rows.words, row_count, rows.pairs, block, threadIdx.x);
    sums.put(shared, threadIdx.x);
    __syncthreads();
    if (threadIdx.x >= Sums::kPairs) return;
    std::uint32_t pair;
    const bool fits = Sums::sum(shared, threadIdx.x, pair);
    counts[block * Sums::kPairs + threadIdx.x] = fits && pair < kLostValues ? pair : kLostValues;
  }
};

template <int variables, int top_bits, class Sink>
int launch_once(const std::uint32_t* words, const Sink& sink, std::size_t more_shared, CUstream_st* stream) {
  using Work = GatheredOnce<OnceWork<variables, top_bits, Sink>>;
  const Work work{{reinterpret_cast<const BitPair*>(words), sink}};
  return launch_blocks(pass_kernel<Work>, once_blocks(variables, top_bits), Work::kThreads,
                       Work::kSharedBytes + more_shared, stream, work);
}

// Calls launch<variables>().
template <class Launch>
int with_once_variables(int variables, const Launch& launch) {
  static_assert(kLeastOnce == 18 && kMostOnce == 20);
  if (variables == 18) return launch.template operator()<18>();
  if (variables == 19) return launch.template operator()<19>();
  if (variables == 20) return launch.template operator()<20>();
  return cudaErrorInvalidValue;
}

// Launches one block per multiprocessor.
template <class Sink>
int launch_rows(const PartialRows& rows, const Sink& sink, std::size_t more_shared, CUstream_st* stream) {
  using Group = BlockGroup<PartialRowBlock::kThreads, PartialRowBlock::kSharedBytes>;
  return launch_gathering<Group, PartialRowBlock::kGroups>(PartialRowWork<Sink, Group>{{}, rows, sink},
                                                           kPartialRows, more_shared, stream);
}

constexpr std::size_t counter_bytes(const CounterRows& counters) {
  return counters.pairs * BlockCounters<false>::kPairBytes;
}

}  // namespace

bool boolean_matrix_units(int compute_major) {
  return compute_major == 9 && newest_architecture(9) >= 800;
}

int launch_boolean_once_maximum(const std::uint32_t* words, int variables, std::uint32_t* answers,
                                CUstream_st* stream) {
  return with_once_variables(variables, [&]<int n>() {
    return launch_once<n, once_top_bits(n)>(words, AnswerSink{answers, 0}, 0, stream);
  });
}

int launch_boolean_once_counters(const std::uint32_t* words, int variables, const CounterRows& counters,
                                 std::uint32_t* answers, CUstream_st* stream) {
  return with_once_variables(variables, [&]<int n>() {
    using Sink = CountingSink<OnceTile<n, 0>::kSharedBytes / sizeof(std::uint32_t)>;
    return launch_once<n, 0>(words, Sink{{answers, 0}, counters}, counter_bytes(counters), stream);
  });
}

int launch_partial_rows(const std::uint32_t* words, const PartialRows& rows, CUstream_st* stream) {
  return launch_work(PartialWork{reinterpret_cast<const BitPair*>(words), rows}, kPartialTiles, stream);
}

int launch_partial_rows_maximum(const PartialRows& rows, std::uint32_t* answers, CUstream_st* stream) {
  return launch_rows(rows, AnswerSink{answers, 0}, 0, stream);
}

int launch_partial_rows_counters(const PartialRows& rows, const CounterRows& counters, std::uint32_t* answers,
                                 CUstream_st* stream) {
  using Sink =
      StaggeredSink<PartialRowBlock::kGroups * PartialRowBlock::kSharedBytes / sizeof(std::uint32_t)>;
  return launch_rows(rows, Sink{{{answers, 0}, counters}}, counter_bytes(counters), stream);
}

int launch_sum_counters(const CounterRows& counters, std::uint32_t row_count, std::uint32_t* counts,
                        CUstream_st* stream) {
  return launch_work(SumWork{counters, row_count, counts}, counters.pairs / CounterSums::kPairs, stream);
}

}  // namespace fugu::kernels
