// Statistics of Boolean functions, starting with the stages of the high variables.
#include "kernels/walsh/columns_agent.hpp"
#include "kernels/walsh/walsh_histogram.cuh"

namespace fugu::kernels {
namespace {

template <int row_bits, int low_bits>
struct ColumnWork {
  using Tile = ColumnTile<row_bits, low_bits>;
  static constexpr int kThreads = Tile::kThreads;
  static constexpr int kBlocksPerSm = smaller(1024 / kThreads, 16);
  static constexpr std::size_t kSharedBytes = Tile::kSharedBytes;

  const std::uint32_t* words;
  std::uint32_t* pairs;
  std::uint32_t* zeroed;
  std::uint32_t zeroed_count;

  __device__ void operator()(std::uint64_t number) {
    for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < zeroed_count; i += gridDim.x * kThreads)
      zeroed[i] = 0;
    auto* shared = shared_values<std::uint32_t>();
    Tile tile;
    tile.load(words, number, threadIdx.x);
    tile.put(shared, threadIdx.x);
    __syncthreads();
    tile.get(shared, threadIdx.x);
    tile.store(pairs, number, threadIdx.x);
  }
};

template <int low_bits>
struct RowBlock {
  using Tile = RowTile<low_bits>;
  static constexpr int kThreads = Tile::kThreads;
  static constexpr std::size_t kSharedBytes = Tile::kPairBytes + Tile::kValueBytes;
};

template <int low_bits, class Sink, class Group = WholeBlock>
struct RowWork : RowBlock<low_bits> {
  using Tile = RowTile<low_bits>;

  const std::uint32_t* pairs;
  Sink sink;

  __device__ void operator()(std::uint64_t number) {
    Tile tile;
    auto* exchanged = Group::template shared<std::uint32_t>();
    auto* values = reinterpret_cast<float*>(exchanged + Tile::kPairBytes / sizeof(std::uint32_t));
    tile.load(pairs, number, threadIdx.x);
    tile.put_pairs(exchanged, threadIdx.x);
    Group::wait();
    tile.get_pairs(exchanged, threadIdx.x);
    tile.split();
    tile.put(values, threadIdx.x);
    Group::wait();
    tile.get(values, threadIdx.x);
    tile.finish();
    sink.take(tile);
  }
};

// One row per block: nothing is kept for the next row.
struct RowMaximumWork : RowWork<row_variables(kMostMaximumColumns), TileMaximumSink> {
  static constexpr int kBlocksPerSm = 1024 / kThreads;
};

template <int row_bits, int low_bits>
int launch_columns(const std::uint32_t* words, std::uint32_t* pairs, std::uint32_t* zeroed,
                   std::uint32_t zeroed_count, CUstream_st* stream) {
  using Work = ColumnWork<row_bits, low_bits>;
  constexpr int tile_number_bits = row_bits + low_bits - Work::Tile::kValueBits;
  return launch_work(Work{words, pairs, zeroed, zeroed_count}, std::uint64_t{1} << tile_number_bits, stream);
}

template <int low_bits, int groups = kCountingThreads / RowBlock<low_bits>::kThreads>
int launch_rows_histogram(const std::uint32_t* pairs, std::uint64_t rows,
                          const SpectrumStatistics& statistics, CUstream_st* stream) {
  const auto work_of = [&]<class Group>(const auto& sink) {
    return RowWork<low_bits, std::remove_cvref_t<decltype(sink)>, Group>{{}, pairs, sink};
  };
  return launch_histogram<TileHistogramSink, RowBlock<low_bits>, false, groups>(work_of, rows, statistics,
                                                                                stream);
}

}  // namespace

int launch_boolean_columns(const std::uint32_t* words, std::uint32_t* pairs, int variables,
                           std::uint32_t* zeroed, std::uint32_t zeroed_count, CUstream_st* stream) {
  static_assert(kLeastColumns == 18 && kMostColumns == 24 && row_variables(18) == 13 &&
                row_variables(23) == 13 && row_variables(24) == 14);
  switch (variables) {
    case 18:
      return launch_columns<5, 13>(words, pairs, zeroed, zeroed_count, stream);
    case 19:
      return launch_columns<6, 13>(words, pairs, zeroed, zeroed_count, stream);
    case 20:
      return launch_columns<7, 13>(words, pairs, zeroed, zeroed_count, stream);
    case 21:
      return launch_columns<8, 13>(words, pairs, zeroed, zeroed_count, stream);
    case 22:
      return launch_columns<9, 13>(words, pairs, zeroed, zeroed_count, stream);
    case 23:
      return launch_columns<10, 13>(words, pairs, zeroed, zeroed_count, stream);
    case 24:
      return launch_columns<10, 14>(words, pairs, zeroed, zeroed_count, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

int launch_boolean_rows_statistics(const std::uint32_t* pairs, int variables,
                                   const SpectrumStatistics& statistics, CUstream_st* stream) {
  const std::uint64_t rows = std::uint64_t{1} << (variables - row_variables(variables));
  if (statistics.counts == nullptr) {
    if (variables > kMostMaximumColumns) return cudaErrorInvalidValue;
    return launch_work(GatheredOnce<RowMaximumWork>{{{{}, pairs, {{statistics, 0}}}}}, rows, stream);
  }
  if (row_variables(variables) == 14) return launch_rows_histogram<14>(pairs, rows, statistics, stream);
  return rows <= kFewRows ? launch_rows_histogram<13, 1>(pairs, rows, statistics, stream)
                          : launch_rows_histogram<13>(pairs, rows, statistics, stream);
}

}  // namespace fugu::kernels
