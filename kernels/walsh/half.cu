// The Walsh transform of rows of 16-bit floats, out of place or in place.
#include <cooperative_groups.h>

#include "kernels/walsh/pair_agent.hpp"
#include "kernels/walsh/walsh_shells.cuh"

namespace fugu::kernels {
namespace {

template <class Half>
HalfSource<Half> source_of(const void* in) {
  return {static_cast<const std::uint32_t*>(in)};
}

// Copies a row's words to shared memory while the row before is transformed.
template <int tile_bits, int threads>
__device__ void fetch_row(std::uint32_t* words, const std::uint32_t* from) {
#if __CUDA_ARCH__ >= 800
  constexpr unsigned kStep = threads * kPieceBytes / sizeof(std::uint32_t);
  from += threadIdx.x * (kPieceBytes / sizeof(std::uint32_t));
  const auto to =
      static_cast<unsigned>(__cvta_generic_to_shared(words) + std::size_t{threadIdx.x} * kPieceBytes);
  FUGU_UNROLL
  for (unsigned at = 0; at < 1u << tile_bits; at += kStep) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;"
                 :
                 : "r"(to + at * 4), "l"(from + at)
                 : "memory");
  }
#endif
}

__device__ void await_row() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
  __syncthreads();
}

// The last stages of a row that is spread over the blocks of a cluster: each block takes its share of the
// positions in all parts of the row.
template <class Pass, int bits, class Sink>
__device__ void finish_in_cluster(const typename Pass::Tile& tile, Pair* shared, const Sink& sink) {
#if __CUDA_ARCH__ >= 900
  using Tile = typename Pass::Tile;
  constexpr int window = Pass::last_window(Walk::forward);
  constexpr unsigned blocks = 1u << bits;
  constexpr unsigned share = Tile::kValues / blocks;
  const auto cluster = cooperative_groups::this_cluster();
  __syncthreads();
  tile.put(shared, threadIdx.x, window);
  cluster.sync();
  const unsigned index = Tile::tile_index(threadIdx.x, window);
  const unsigned first = cluster.block_rank() * share;
  FUGU_UNROLL
  for (unsigned j = 0; j < share; ++j) {
    const unsigned beyond = (first + j) << window;
    Pair x[blocks];
    FUGU_UNROLL
    for (unsigned part = 0; part < blocks; ++part)
      x[part] = *(cluster.map_shared_rank(shared, part) + Tile::padded(index) + Tile::padded(beyond));
    core::butterflies<bits>(x, 0, bits);
    FUGU_UNROLL
    for (unsigned part = 0; part < blocks; ++part)
      sink((std::uint64_t{part} << (Pass::kTop + kHalfRegisterBits)) + index + beyond, x[part]);
  }
  cluster.sync();
#endif
}

// Persistent blocks, one per multiprocessor. A block's tile is a row, or one of the 2^cluster_bits parts of a
// row.
template <class Half, int tile_bits, int cluster_bits>
__global__ void __launch_bounds__(1 << (tile_bits - kHalfRegisterBits), 1)
    row_kernel(const std::uint32_t* in, std::uint32_t* out, float factor, std::uint64_t tiles) {
  using Pass = ContiguousPass<Pair, tile_bits, kHalfRegisterBits>;
  using Tile = typename Pass::Tile;
  Pair* const shared = shared_values<Pair>();
  std::uint32_t* const words = reinterpret_cast<std::uint32_t*>(shared + Tile::kSharedValues);
  const auto fetch = [&](std::uint64_t number) {
    if (number < tiles) fetch_row<tile_bits, Tile::kThreads>(words, in + (number << tile_bits));
  };
  const HalfSource<Half> source{words};
  fetch(blockIdx.x);
  for (std::uint64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    Tile tile;
    await_row();
    tile.load(source, Pass::geometry(), 0, threadIdx.x, Pass::first_window(Walk::forward), NoEnd{});
    Pass::template step<Walk::forward, 0>(tile, shared, threadIdx.x, {0, tile_bits});
    __syncthreads();
    fetch(number + gridDim.x);
    Pass::template step<Walk::forward, 1>(tile, shared, threadIdx.x, {0, tile_bits});
    __syncthreads();
    Pass::template step<Walk::forward, 2>(tile, shared, threadIdx.x, {0, tile_bits});
    HalfSink<Half> sink{out + ((number >> cluster_bits) << (cluster_bits + tile_bits)), factor};
    if constexpr (cluster_bits > 0) {
      finish_in_cluster<Pass, cluster_bits>(tile, shared, sink);
    } else {
      tile.store(sink, Pass::geometry(), 0, threadIdx.x, Pass::last_window(Walk::forward), NoEnd{});
    }
  }
}

template <class Half, int tile_bits, int cluster_bits>
int launch_rows_of(const void* in, void* out, std::uint64_t values, float factor, CUstream_st* stream) {
  using Tile = WalshTile<Pair, tile_bits, kHalfRegisterBits>;
  const auto kernel = row_kernel<Half, tile_bits, cluster_bits>;
  const std::size_t shared = half_row_bytes(tile_bits);
  std::uint64_t multiprocessors = 0;
  int status = count_multiprocessors(&multiprocessors);
  if (status == cudaSuccess) status = allow_shared(reinterpret_cast<const void*>(kernel), shared);
  if (status != cudaSuccess) return status;
  const std::uint64_t tiles = values >> (tile_bits + 1);
  const std::uint64_t at_once = multiprocessors >> cluster_bits << cluster_bits;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(tiles < at_once ? tiles : at_once));
  config.blockDim = dim3(Tile::kThreads);
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 1u << cluster_bits;
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  config.attrs = &cluster;
  config.numAttrs = cluster_bits > 0 ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, static_cast<const std::uint32_t*>(in),
                            static_cast<std::uint32_t*>(out), factor, tiles);
}

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
int with_half(Half half, const Launch& launch) {
  return half == Half::float16 ? launch(core::Float16()) : launch(core::Bfloat16());
}

}  // namespace

int launch_half_tiles(Half half, const void* in, void* out, std::uint64_t values, int log2_size, float factor,
                      CUstream_st* stream) {
  return with_half(half, [&](auto type) {
    using Type = decltype(type);
    const HalfSink<Type> sink{static_cast<std::uint32_t*>(out), factor};
    const StageRange stages{0, log2_size - 1};
    return launch_work(contiguous_work<Pair, kHalfTileBits>(stages, source_of<Type>(in), sink, values / 2),
                       tiles_of(values / 2, kHalfTileBits), stream);
  });
}

int launch_half_rows(Half half, const void* in, void* out, std::uint64_t values, int log2_size, float factor,
                     CUstream_st* stream) {
  return with_half(half, [&](auto type) -> int {
    using Type = decltype(type);
    if (log2_size == 14) return launch_rows_of<Type, 13, 0>(in, out, values, factor, stream);
    if (log2_size == 15) return launch_rows_of<Type, 14, 0>(in, out, values, factor, stream);
    if (log2_size == 16) return launch_rows_of<Type, 14, 1>(in, out, values, factor, stream);
    return cudaErrorInvalidValue;
  });
}

int launch_half_chain(Half half, const void* in, void* out, float* between, std::uint32_t* done,
                      std::uint64_t values, int log2_size, float factor, CUstream_st* stream) {
  return with_half(half, [&](auto type) {
    return launch_chain_of<decltype(type)>(in, out, between, done, values, log2_size, factor, stream);
  });
}

}  // namespace fugu::kernels
