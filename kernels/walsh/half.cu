// The Walsh transform of rows of 16-bit floats that matrix units do not take, out of place or in place.
#include "kernels/walsh/pair_agent.hpp"
#include "kernels/walsh/walsh_shells.cuh"

namespace fugu::kernels {
namespace {

// Long rows are a chain of two passes (kernels/walsh/chain_agent.hpp). The float32 values between these lie
// in a ring of whole chunks, so that they stay in the second-level cache; what is read or written once leaves
// it first.
template <class Half>
struct OnceSource {
  const std::uint32_t* words;
  __device__ Pair operator()(std::uint64_t start, std::uint64_t beyond) const {
    return transformed_pair<Half>(__ldcs(words + start + beyond));
  }
};

template <class Half>
struct OnceSink {
  std::uint32_t* words;
  float factor;
  __device__ void operator()(std::uint64_t at, Pair pair) const {
    __stcs(words + at, word_of<Half>({pair.low * factor, pair.high * factor}));
  }
};

struct RingSource {
  const Pair* ring;
  std::uint32_t mask;
  __device__ Pair operator()(std::uint64_t start, std::uint64_t beyond) const {
    const float2 pair =
        __ldcs(reinterpret_cast<const float2*>(ring + (static_cast<std::uint32_t>(start) & mask) + beyond));
    return {pair.x, pair.y};
  }
};

struct RingSink {
  Pair* ring;
  std::uint32_t mask;
  __device__ void operator()(std::uint64_t at, Pair pair) const {
    ring[static_cast<std::uint32_t>(at) & mask] = pair;
  }
};

// Each chunk has a counter of its first pass's tiles, and one of its second's, whose values the ring then has
// no longer.
template <class First, class Second>
__global__ void __launch_bounds__(First::kThreads, First::kBlocksPerSm)
    ring_chain_kernel(ChainShape shape, std::uint64_t slots, std::uint32_t* done, First first,
                      Second second) {
  const ChainStep step = chain_step(shape, blockIdx.x);
  const std::uint64_t chunk = chain_chunk(shape, step);
  std::uint32_t* const written = done + chunk;
  std::uint32_t* const read = written + shape.chunks;
  await_earlier_pass();
  if (step.second) {
    await_count(written, shape.tiles_per_chunk);
    second(step.tile);
    add_one(read);
  } else {
    if (chunk >= slots) await_count(read - slots, shape.tiles_per_chunk);
    first(step.tile);
    add_one(written);
  }
}

template <class Half>
int launch_chain_of(const void* in, void* out, float* between, std::uint32_t* done, std::uint64_t values,
                    int log2_size, float factor, CUstream_st* stream) {
  constexpr int tile = kHalfTileBits;
  Pair* const ring = reinterpret_cast<Pair*>(between);
  constexpr auto mask = static_cast<std::uint32_t>(kHalfRingPairs - 1);
  const std::uint64_t count = values / 2;
  const int stages = log2_size - 1 - tile, rows = larger(stages, register_bits_of(tile));
  const WalshPass pass{true, tile, tile - rows, tile + stages - rows, tile - stages, tile};
  auto first = contiguous_work<Pair, tile>({0, tile}, OnceSource<Half>{static_cast<const std::uint32_t*>(in)},
                                           RingSink{ring, mask}, count);
  auto second = strided_work<Pair, tile>(pass, RingSource{ring, mask},
                                         OnceSink<Half>{static_cast<std::uint32_t*>(out), factor}, count);
  const ChainShape shape = half_chain(values, log2_size);
  return launch_blocks(ring_chain_kernel<decltype(first), decltype(second)>, chain_blocks(shape),
                       first.kThreads, first.kSharedBytes, stream, shape, kHalfRingPairs >> (log2_size - 1),
                       done, first, second);
}

template <class Launch>
int with_half(Element half, const Launch& launch) {
  return half == Element::float16 ? launch(core::Float16()) : launch(core::Bfloat16());
}

}  // namespace

int launch_half_tiles(Element half, const void* in, void* out, std::uint64_t values, int log2_size, float factor,
                      CUstream_st* stream) {
  return with_half(half, [&](auto type) {
    using Type = decltype(type);
    const HalfSource<Type> source{static_cast<const std::uint32_t*>(in)};
    const HalfSink<Type> sink{static_cast<std::uint32_t*>(out), factor};
    const StageRange stages{0, log2_size - 1};
    return launch_work(contiguous_work<Pair, kHalfTileBits>(stages, source, sink, values / 2),
                       tiles_of(values / 2, kHalfTileBits), stream);
  });
}

int launch_half_chain(Element half, const void* in, void* out, float* between, std::uint32_t* done,
                      std::uint64_t values, int log2_size, float factor, CUstream_st* stream) {
  return with_half(half, [&](auto type) {
    return launch_chain_of<decltype(type)>(in, out, between, done, values, log2_size, factor, stream);
  });
}

}  // namespace fugu::kernels
