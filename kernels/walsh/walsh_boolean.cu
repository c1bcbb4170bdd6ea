// The passes of Boolean spectra: packed bits in, 16-bit values between, 32-bit values or only statistics out.
#include "kernels/walsh/boolean_agent.hpp"
#include "kernels/walsh/walsh_shells.cuh"

namespace fugu::kernels {
namespace {

// max |W|.
struct MaximumSink {
  SpectrumStatistics statistics;
  std::uint32_t largest;

  __device__ void begin() { largest = 0; }

  __device__ void operator()(std::uint64_t, std::int32_t value) {
    const std::uint32_t magnitude =
        value < 0 ? 0u - static_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(value);
    largest = magnitude > largest ? magnitude : largest;
  }

  __device__ void end() {
    for (int distance = 16; distance != 0; distance /= 2) {
      const std::uint32_t other = __shfl_xor_sync(0xffffffffu, largest, distance);
      largest = other > largest ? other : largest;
    }
    // Most warps find that they need not.
    if (threadIdx.x % 32 == 0 && largest > __ldcg(statistics.max_abs)) atomicMax(statistics.max_abs, largest);
  }
};

// And how often each value occurs. The middle of the range is counted in the block's own memory, behind its
// tile, and added to the device's counters once a block; the rest goes there at once. Of a random function of
// 30 variables that rest is one value in twenty.
template <std::size_t tile_words>
struct HistogramSink : MaximumSink {
  int block_half;  // the block counts quotients from -block_half to block_half - 1

  __device__ static std::uint32_t* block_counts() { return shared_values<std::uint32_t>() + tile_words; }

  __device__ void begin() {
    MaximumSink::begin();
    for (int i = static_cast<int>(threadIdx.x); i < 2 * block_half; i += static_cast<int>(blockDim.x)) {
      block_counts()[i] = 0;
    }
    __syncthreads();
  }

  __device__ void operator()(std::uint64_t at, std::int32_t value) {
    MaximumSink::operator()(at, value);
    count(value);
    if (at == 0)
      *statistics.remainder = static_cast<std::uint32_t>(value) & ((1u << statistics.step_bits) - 1);
  }

  __device__ void count(std::int32_t value) {
    const std::int32_t quotient = value >> statistics.step_bits;
    if (quotient >= -block_half && quotient < block_half) {
      atomicAdd(&block_counts()[quotient + block_half], 1u);
    } else if (quotient >= -statistics.half && quotient <= statistics.half) {
      atomicAdd(&statistics.counts[quotient + statistics.half], 1u);
    } else {
      const std::uint32_t slot = atomicAdd(statistics.other_count, 1u);
      if (slot < statistics.other_capacity) statistics.others[slot] = value;
    }
  }

  __device__ void end() {
    MaximumSink::end();
    for (int i = static_cast<int>(threadIdx.x); i < 2 * block_half; i += static_cast<int>(blockDim.x)) {
      const std::uint32_t counted = block_counts()[i];
      if (counted != 0) atomicAdd(&statistics.counts[i - block_half + statistics.half], counted);
    }
  }
};

// Half the counters of a block: as many as fit behind a tile, at most 2^15 (128 KB), and no more than the
// device has.
int block_half_of(const SpectrumStatistics& statistics, std::size_t tile_bytes) {
  int device = 0;
  int shared = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess) {
    return 0;
  }
  const std::size_t left = static_cast<std::size_t>(shared) - tile_bytes;
  int half = 1 << 14;
  while (2 * static_cast<std::size_t>(half) * sizeof(std::uint32_t) > left) half /= 2;
  return smaller(half, statistics.half);
}

// Bits to 16-bit values, 2^14 to a tile of pairs. The tiles are as large as the next pass's: blocks of both
// passes meet on an SM, which splits its memory between them and its cache as the first of them wants it.
// With tiles of 68 KB here the next pass had little cache and took a fifth longer.
struct BooleanFirstWork {
  static_assert(kBooleanFirstStages == kBooleanTileBits + 1);
  using Pass = Contiguous<std::int32_t, kBooleanTileBits>;
  static constexpr int kThreads = Pass::Tile::kThreads;
  static constexpr int kBlocksPerSm = blocks_per_sm<std::int32_t, kBooleanTileBits>();
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
    tile.store(sink, Pass::geometry(), number, threadIdx.x, Pass::last_window(kWalk), ~std::uint64_t{0});
  }
};

using WideSink = ValueSink<std::int32_t>;

template <class Sink, class Source>
auto only_work(const WalshPass& pass, Source source, Sink sink, std::uint64_t values) {
  return contiguous_work<std::int32_t, kTileBits>(StageRange{0, pass.to}, source, sink, values);
}

template <int tile_bits, class Sink, class Source>
auto later_work(const WalshPass& pass, Source source, Sink sink, std::uint64_t values) {
  return strided_work<std::int32_t, tile_bits>(pass, source, sink, values);
}

// Blocks with counters have an SM for themselves.
template <class Work>
struct Alone : Work {
  static constexpr int kBlocksPerSm = 1;
};

// One tile a block: a sink without counters of its own has nothing to keep for the next tile.
template <class Work>
struct GatheredOnce : Work {
  __device__ void operator()(std::uint64_t number) {
    this->sink.begin();
    Work::operator()(number);
    this->sink.end();
  }
};

// work_of(sink) is the pass with that sink.
template <int tile_bits, class WorkOf>
int launch_statistics(const WorkOf& work_of, std::uint64_t values, const SpectrumStatistics& statistics,
                      CUstream_st* stream) {
  constexpr std::size_t tile_bytes = tile_shared_bytes(tile_bits, sizeof(std::int32_t));
  const std::uint64_t tiles = tiles_of(values, tile_bits);
  if (statistics.counts == nullptr) {
    const auto work = work_of(MaximumSink{statistics, 0});
    return launch_work(GatheredOnce<decltype(work_of(MaximumSink{}))>{work}, tiles, stream);
  }
  const int half = block_half_of(statistics, tile_bytes);
  const HistogramSink<tile_bytes / sizeof(std::uint32_t)> sink{{statistics, 0}, half};
  const Alone<decltype(work_of(sink))> work{work_of(sink)};
  return launch_gathering(work, tiles, 2 * static_cast<std::size_t>(half) * sizeof(std::uint32_t), stream);
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
  const auto work_of = [&](const auto& sink) { return only_work(pass, PolaritySource{words}, sink, values); };
  return launch_statistics<kTileBits>(work_of, values, statistics, stream);
}

int launch_boolean_narrow_statistics(const WalshPass& pass, const std::int16_t* in, std::uint64_t values,
                                     const SpectrumStatistics& statistics, CUstream_st* stream) {
  const auto work_of = [&](const auto& sink) {
    return later_work<kTileBits>(pass, LineSource<std::int16_t>{in}, sink, values);
  };
  return launch_statistics<kTileBits>(work_of, values, statistics, stream);
}

int launch_boolean_wide_statistics(const WalshPass& pass, const std::int32_t* in, std::uint64_t values,
                                   const SpectrumStatistics& statistics, CUstream_st* stream) {
  const auto work_of = [&](const auto& sink) {
    return later_work<kBooleanTileBits>(pass, ValueSource<std::int32_t>{in}, sink, values);
  };
  return launch_statistics<kBooleanTileBits>(work_of, values, statistics, stream);
}

}  // namespace fugu::kernels
