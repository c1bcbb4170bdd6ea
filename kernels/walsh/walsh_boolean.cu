// The passes of Boolean spectra: packed bits in, 16-bit values between, 32-bit values or only statistics out.
#include "kernels/walsh/boolean_agent.hpp"
#include "kernels/walsh/walsh_maximum.cuh"
#include "kernels/walsh/walsh_shells.cuh"

namespace fugu::kernels {
namespace {

// Counters of a block in its own memory, in the order of counter_of(): additions whose results nobody waits
// for. Counters of 16 bits may overflow, which SpectrumStatistics says how to notice.
template <bool narrow>
struct BlockCounters {
  static constexpr std::size_t kPairBytes = narrow ? 4 : 8;

  std::uint32_t* words;
  std::uint32_t count;

  __device__ std::uint32_t word_count() const { return narrow ? count / 2 : count; }

  __device__ void add(std::uint32_t counter) const {
    if constexpr (narrow) {
      atomicAdd(words + counter / 2, counter % 2 == 0 ? 1u : 0x10000u);
    } else {
      atomicAdd(words + counter, 1u);
    }
  }

  // Counters 2 pair and 2 pair + 1, as they lie in the device's memory.
  __device__ unsigned long long pair(std::uint32_t pair) const {
    if constexpr (narrow) {
      return (words[pair] & 0xffff) | static_cast<unsigned long long>(words[pair] >> 16) << 32;
    } else {
      return words[2 * pair] | static_cast<unsigned long long>(words[2 * pair + 1]) << 32;
    }
  }
};

// And how often each value occurs. The middle of the range is counted in the block's own memory, behind its
// tiles, and added to the device's counters in the end; the rest goes there at once.
template <std::size_t tile_words, bool narrow>
struct HistogramSink : MaximumSink {
  std::uint32_t block_count;

  __device__ BlockCounters<narrow> block_counters() const {
    return {shared_values<std::uint32_t>() + tile_words, block_count};
  }

  __device__ void begin() {
    MaximumSink::begin();
    const BlockCounters<narrow> counters = block_counters();
    for (std::uint32_t i = thread_of_block(); i < counters.word_count(); i += threads_of_block())
      counters.words[i] = 0;
    __syncthreads();
  }

  __device__ void operator()(std::uint64_t at, std::int32_t value) {
    MaximumSink::operator()(at, value);
    const std::uint32_t counter = counter_of(value >> statistics.step_bits);
    if (counter < block_count) {
      block_counters().add(counter);
    } else if (counter < 2 * static_cast<std::uint32_t>(statistics.half)) {
      atomicAdd(statistics.counts + counter, 1u);
    } else {
      const std::uint32_t slot = atomicAdd(statistics.other_count, 1u);
      if (slot < statistics.other_capacity) statistics.others[slot] = value;
    }
  }

  __device__ void end() {
    MaximumSink::end();
    const BlockCounters<narrow> counters = block_counters();
    for (std::uint32_t i = thread_of_block(); i < block_count / 2; i += threads_of_block()) {
      const unsigned long long pair = counters.pair(i);
      if (pair != 0) atomicAdd(reinterpret_cast<unsigned long long*>(statistics.counts) + i, pair);
    }
  }
};

int shared_bytes_of_device(std::size_t& bytes) {
  int device = 0, shared = 0;
  int status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  bytes = static_cast<std::size_t>(shared);
  return status;
}

// Counters of a block, in pairs: those of the likely quotients, as far as memory goes.
std::uint32_t block_pairs_of(const SpectrumStatistics& statistics, std::size_t bytes,
                             std::size_t pair_bytes) {
  const auto possible = static_cast<std::int32_t>(bytes / pair_bytes);
  return static_cast<std::uint32_t>(smaller(possible, smaller(statistics.likely_half, statistics.half)));
}

// Bits to 16-bit values, 2^14 to a tile of pairs. The tiles are as large as the next pass's: blocks of both
// passes meet on an SM, which splits its memory between them and its cache as the first of them wants it.
// With tiles of 68 KB here the next pass had little cache and took a fifth longer.
struct BooleanFirstWork {
  static_assert(kBooleanFirstStages == kBooleanTileBits + 1);
  using Pass = Contiguous<std::int32_t, kBooleanTileBits>;
  static constexpr int kThreads = Pass::Tile::kThreads;
  static constexpr int kBlocksPerSm = blocks_per_sm(kBooleanTileBits, sizeof(std::int32_t));
  static constexpr std::size_t kSharedBytes = tile_shared_bytes(kBooleanTileBits, sizeof(std::int32_t));
  static constexpr Walk kWalk = Walk::from_lowest;
  static constexpr int kRegisterBits = register_bits_of(kBooleanTileBits);

  const std::uint32_t* words;
  PairSink sink;
  std::uint32_t* zeroed;

  __device__ void operator()(std::uint64_t number) {
    if (zeroed != nullptr && number == 0 && threadIdx.x < kZeroedWords) zeroed[threadIdx.x] = 0;
    __shared__ std::int32_t quads[kQuads];
    if (threadIdx.x < kQuads) quads[threadIdx.x] = quad_of_bits(threadIdx.x);
    const std::uint64_t at = 2 * (number * kThreads + threadIdx.x);
    const std::uint64_t bits = words[at] | std::uint64_t{words[at + 1]} << 32;
    __syncthreads();
    Pass::Tile tile;
    pairs_of_bits(quads, bits, tile.x);
    walk_contiguous<Pass, kWalk>(tile, shared_values<std::int32_t>(),
                                 StageRange{kRegisterBits, kBooleanTileBits});
    tile.store(sink, Pass::geometry(), number, threadIdx.x, Pass::last_window(kWalk), ~std::uint64_t{0});
  }
};

using WideSink = ValueSink<std::int32_t>;

template <class Group = WholeBlock, class Sink, class Source>
auto only_work(const WalshPass& pass, Source source, Sink sink, std::uint64_t values) {
  return contiguous_work<std::int32_t, kTileBits, Group>(StageRange{0, pass.to}, source, sink, values);
}

template <int tile_bits, class Group = WholeBlock, class Sink, class Source>
auto later_work(const WalshPass& pass, Source source, Sink sink, std::uint64_t values) {
  return strided_work<std::int32_t, tile_bits, Group>(pass, source, sink, values);
}

// Blocks have as many groups as leave room for a quarter of the likely quotients: those within two standard
// deviations.
template <int tile_bits, int groups, bool narrow, class WorkOf>
int launch_histogram(const WorkOf& work_of, std::uint64_t tiles, const SpectrumStatistics& statistics,
                     std::size_t shared, CUstream_st* stream) {
  using Block = TileBlock<std::int32_t, tile_bits>;
  using Group = BlockGroup<Block::kThreads, Block::kSharedBytes>;
  constexpr std::size_t tile_bytes = groups * Block::kSharedBytes;
  constexpr std::size_t pair_bytes = BlockCounters<narrow>::kPairBytes;
  const std::uint32_t pairs =
      shared < tile_bytes ? 0 : block_pairs_of(statistics, shared - tile_bytes, pair_bytes);
  if constexpr (groups > 1) {
    if (4 * pairs < static_cast<std::uint32_t>(smaller(statistics.likely_half, statistics.half)))
      return launch_histogram<tile_bits, groups / 2, narrow>(work_of, tiles, statistics, shared, stream);
  }
  const HistogramSink<tile_bytes / sizeof(std::uint32_t), narrow> sink{{statistics, 0}, 2 * pairs};
  return launch_gathering<Group, groups>(work_of.template operator()<Group>(sink), tiles, pairs * pair_bytes,
                                         stream);
}

// work_of<Group>(sink) is the pass with that sink.
template <int tile_bits, class WorkOf>
int launch_statistics(const WorkOf& work_of, std::uint64_t values, const SpectrumStatistics& statistics,
                      CUstream_st* stream) {
  const std::uint64_t tiles = tiles_of(values, tile_bits);
  if (statistics.counts == nullptr) {
    const auto work = work_of.template operator()<WholeBlock>(MaximumSink{statistics, 0});
    return launch_work(GatheredOnce<std::remove_const_t<decltype(work)>>{work}, tiles, stream);
  }
  std::size_t shared = 0;
  const int status = shared_bytes_of_device(shared);
  if (status != cudaSuccess) return status;
  constexpr int groups = kCountingThreads / TileBlock<std::int32_t, tile_bits>::kThreads;
  if (statistics.narrow_counters)
    return launch_histogram<tile_bits, groups, true>(work_of, tiles, statistics, shared, stream);
  return launch_histogram<tile_bits, groups, false>(work_of, tiles, statistics, shared, stream);
}

}  // namespace

int launch_boolean_first(const std::uint32_t* words, std::int16_t* out, int variables, std::uint32_t* zeroed,
                         CUstream_st* stream) {
  const PairSink sink{reinterpret_cast<std::uint32_t*>(out)};
  return launch_work(BooleanFirstWork{words, sink, zeroed},
                     tiles_of(std::uint64_t{1} << (variables - 1), kBooleanTileBits), stream);
}

int launch_boolean_only(const WalshPass& pass, const std::uint32_t* words, std::int32_t* out,
                        std::uint64_t values, CUstream_st* stream) {
  return launch_work(only_work(pass, PolaritySource{words}, WideSink{out}, values),
                     tiles_of(values, kTileBits), stream);
}

int launch_boolean_widen(const WalshPass& pass, const std::int16_t* in, std::int32_t* out,
                         std::uint64_t values, CUstream_st* stream) {
  const LineSource<std::int16_t> source{in};
  if (pass.tile_bits == kTileBits) {
    return launch_work(later_work<kTileBits>(pass, source, WideSink{out}, values),
                       tiles_of(values, kTileBits), stream);
  }
  if (pass.tile_bits != kBooleanTileBits) return cudaErrorInvalidValue;
  return launch_work(later_work<kBooleanTileBits>(pass, source, WideSink{out}, values),
                     tiles_of(values, kBooleanTileBits), stream);
}

int launch_boolean_only_statistics(const WalshPass& pass, const std::uint32_t* words, std::uint64_t values,
                                   const SpectrumStatistics& statistics, CUstream_st* stream) {
  const auto work_of = [&]<class Group>(const auto& sink) {
    return only_work<Group>(pass, PolaritySource{words}, sink, values);
  };
  return launch_statistics<kTileBits>(work_of, values, statistics, stream);
}

int launch_boolean_narrow_statistics(const WalshPass& pass, const std::int16_t* in, std::uint64_t values,
                                     const SpectrumStatistics& statistics, CUstream_st* stream) {
  const auto work_of = [&]<class Group>(const auto& sink) {
    return later_work<kTileBits, Group>(pass, LineSource<std::int16_t>{in}, sink, values);
  };
  return launch_statistics<kTileBits>(work_of, values, statistics, stream);
}

int launch_boolean_wide_statistics(const WalshPass& pass, const std::int32_t* in, std::uint64_t values,
                                   const SpectrumStatistics& statistics, CUstream_st* stream) {
  const auto work_of = [&]<class Group>(const auto& sink) {
    return later_work<kBooleanTileBits, Group>(pass, ValueSource<std::int32_t>{in}, sink, values);
  };
  return launch_statistics<kBooleanTileBits>(work_of, values, statistics, stream);
}

}  // namespace fugu::kernels
