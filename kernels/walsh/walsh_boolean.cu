// The passes of Boolean spectra: their input is packed bits or 16-bit values, their output 16-bit or 32-bit
// values or statistics.
#include "kernels/walsh/boolean_agent.hpp"
#include "kernels/walsh/walsh_histogram.cuh"

namespace fugu::kernels {
namespace {

// Converts bits to 16-bit values, 2^14 per tile of pairs. The tiles are as large as the next pass's: blocks
// of both passes share an SM, which divides its memory into shared memory and cache by the first block's
// request. With tiles of 68 KB here the next pass had little cache and took a fifth longer.
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

  __device__ void operator()(std::uint64_t number) {
    __shared__ std::int32_t quads[kQuads];
    if (threadIdx.x < kQuads) quads[threadIdx.x] = quad_of_bits(threadIdx.x);
    const std::uint64_t at = 2 * (number * kThreads + threadIdx.x);
    const std::uint64_t bits = words[at] | std::uint64_t{words[at + 1]} << 32;
    __syncthreads();
    Pass::Tile tile;
    pairs_of_bits(quads, bits, tile.x);
    walk_contiguous<Pass, kWalk>(tile, shared_values<std::int32_t>(),
                                 StageRange{kRegisterBits, kBooleanTileBits});
    tile.store(sink, Pass::geometry(), number, threadIdx.x, Pass::last_window(kWalk), NoEnd{});
  }
};

using WideSink = ValueSink<std::int32_t>;

template <class Group = WholeBlock, class Sink, class Source>
auto only_work(const WalshPass& pass, Source source, Sink sink, std::uint64_t values) {
  return contiguous_work<std::int32_t, kTileBits, Group>(StageRange{0, pass.to}, source, sink, values);
}

// Makes the later pass of a function of more than kTileBits variables, whose tiles are all whole.
template <int tile_bits, class Group = WholeBlock, class Sink, class Source>
auto later_work(const WalshPass& pass, Source source, Sink sink) {
  return strided_work<std::int32_t, tile_bits, Group>(pass, source, sink, NoEnd{});
}

// Launches a pass on tiles of kTileBits or kBooleanTileBits.
template <class Launch>
int on_tiles(const WalshPass& pass, const Launch& launch) {
  if (pass.tile_bits == kTileBits) return launch.template operator()<kTileBits>();
  if (pass.tile_bits == kBooleanTileBits) return launch.template operator()<kBooleanTileBits>();
  return cudaErrorInvalidValue;
}

// work_of<Group>(sink) returns the pass with this sink.
template <int tile_bits, class WorkOf>
int launch_statistics(const WorkOf& work_of, std::uint64_t values, const SpectrumStatistics& statistics,
                      CUstream_st* stream) {
  const std::uint64_t tiles = tiles_of(values, tile_bits);
  if (statistics.counts == nullptr) {
    const auto work = work_of.template operator()<WholeBlock>(MaximumSink{statistics, 0});
    return launch_work(GatheredOnce<std::remove_const_t<decltype(work)>>{work}, tiles, stream);
  }
  return launch_histogram<TileBlock<std::int32_t, tile_bits>>(work_of, tiles, statistics, stream);
}

}  // namespace

int launch_boolean_first(const std::uint32_t* words, std::int16_t* out, int variables, CUstream_st* stream) {
  const PairSink sink{reinterpret_cast<std::uint32_t*>(out)};
  return launch_work(BooleanFirstWork{words, sink},
                     tiles_of(std::uint64_t{1} << (variables - 1), kBooleanTileBits), stream);
}

int launch_boolean_only(const WalshPass& pass, const std::uint32_t* words, std::int32_t* out,
                        std::uint64_t values, CUstream_st* stream) {
  return launch_work(only_work(pass, PolaritySource{words}, WideSink{out}, values),
                     tiles_of(values, kTileBits), stream);
}

int launch_boolean_widen(const WalshPass& pass, const std::int16_t* in, std::int32_t* out,
                         std::uint64_t values, CUstream_st* stream) {
  return on_tiles(pass, [&]<int tile_bits>() {
    return launch_work(later_work<tile_bits>(pass, LineSource<std::int16_t>{in}, WideSink{out}),
                       tiles_of(values, tile_bits), stream);
  });
}

int launch_boolean_narrow(const WalshPass& pass, const std::int16_t* in, std::int16_t* out,
                          std::uint32_t* beyond, std::uint64_t values, CUstream_st* stream) {
  return on_tiles(pass, [&]<int tile_bits>() {
    const auto work = later_work<tile_bits>(pass, LineSource<std::int16_t>{in}, NarrowSink{out, beyond});
    return launch_work(GatheredOnce<std::remove_const_t<decltype(work)>>{work}, tiles_of(values, tile_bits),
                       stream);
  });
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
  return on_tiles(pass, [&]<int tile_bits>() {
    const auto work_of = [&]<class Group>(const auto& sink) {
      return later_work<tile_bits, Group>(pass, LineSource<std::int16_t>{in}, sink);
    };
    return launch_statistics<tile_bits>(work_of, values, statistics, stream);
  });
}

int launch_boolean_wide_statistics(const WalshPass& pass, const std::int32_t* in, std::uint64_t values,
                                   const SpectrumStatistics& statistics, CUstream_st* stream) {
  const auto work_of = [&]<class Group>(const auto& sink) {
    return later_work<kBooleanTileBits, Group>(pass, ValueSource<std::int32_t>{in}, sink);
  };
  return launch_statistics<kBooleanTileBits>(work_of, values, statistics, stream);
}

}  // namespace fugu::kernels
