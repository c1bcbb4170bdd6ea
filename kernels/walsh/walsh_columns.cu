// max |W| of Boolean functions, the stages of the high variables first.
#include "kernels/walsh/columns_agent.hpp"
#include "kernels/walsh/walsh_maximum.cuh"

namespace fugu::kernels {
namespace {

template <int row_bits>
struct ColumnWork {
  using Tile = ColumnTile<row_bits>;
  static constexpr int kThreads = Tile::kThreads;
  static constexpr int kBlocksPerSm = smaller(1024 / kThreads, 16);
  static constexpr std::size_t kSharedBytes = Tile::kSharedBytes;

  const std::uint32_t* words;
  std::uint32_t* pairs;
  std::uint32_t* zeroed;

  __device__ void operator()(std::uint64_t number) {
    if (number == 0 && threadIdx.x < kZeroedWords) zeroed[threadIdx.x] = 0;
    auto* shared = shared_values<std::uint32_t>();
    Tile tile;
    tile.load(words, number, threadIdx.x);
    tile.put(shared, threadIdx.x);
    __syncthreads();
    tile.get(shared, threadIdx.x);
    tile.store(pairs, number, threadIdx.x);
  }
};

// max |W|, of the last stage's inputs: max(|a + b|, |a - b|) = |a| + |b|.
struct RowMaximumSink : MaximumSink {
  float most;

  __device__ void begin() { most = 0; }
  __device__ void operator()(float a, float b) { most = fmaxf(most, fabsf(a) + fabsf(b)); }
  __device__ void end() {
    largest = 2 * static_cast<std::uint32_t>(most);
    MaximumSink::end();
  }
};

// One row per block: nothing is kept for the next one.
struct RowWork {
  using Tile = RowTile;
  static constexpr int kThreads = Tile::kThreads;
  static constexpr int kBlocksPerSm = 1024 / kThreads;
  static constexpr std::size_t kSharedBytes = Tile::kSharedBytes;

  const std::uint32_t* pairs;
  RowMaximumSink sink;

  __device__ void operator()(std::uint64_t number) {
    Tile tile;
    auto* words = shared_values<std::uint32_t>();
    auto* values = shared_values<float>();
    tile.load(pairs, number, threadIdx.x);
    tile.put_pairs(words, threadIdx.x);
    __syncthreads();
    tile.get_pairs(words, threadIdx.x);
    tile.split();
    __syncthreads();
    tile.put(values, threadIdx.x);
    __syncthreads();
    tile.get(values, threadIdx.x);
    tile.finish();
    tile.give(sink);
  }
};

template <int row_bits>
int launch_columns(const std::uint32_t* words, std::uint32_t* pairs, std::uint32_t* zeroed,
                   CUstream_st* stream) {
  using Work = ColumnWork<row_bits>;
  constexpr int tile_number_bits = row_bits + kLowVariables - Work::Tile::kValueBits;
  return launch_work(Work{words, pairs, zeroed}, std::uint64_t{1} << tile_number_bits, stream);
}

}  // namespace

int launch_boolean_columns(const std::uint32_t* words, std::uint32_t* pairs, int variables,
                           std::uint32_t* zeroed, CUstream_st* stream) {
  static_assert(kLeastColumns == kLowVariables + 5 && kMostColumns == kLowVariables + 8);
  switch (variables - kLowVariables) {
    case 5:
      return launch_columns<5>(words, pairs, zeroed, stream);
    case 6:
      return launch_columns<6>(words, pairs, zeroed, stream);
    case 7:
      return launch_columns<7>(words, pairs, zeroed, stream);
    case 8:
      return launch_columns<8>(words, pairs, zeroed, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

int launch_boolean_rows_maximum(const std::uint32_t* pairs, int variables,
                                const SpectrumStatistics& statistics, CUstream_st* stream) {
  return launch_work(GatheredOnce<RowWork>{RowWork{pairs, {{statistics, 0}, 0}}},
                     std::uint64_t{1} << (variables - kLowVariables), stream);
}

}  // namespace fugu::kernels
