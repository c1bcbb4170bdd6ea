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

// Persistent blocks, one per multiprocessor. A block's tile is a row, or one of the 2^cluster_bits parts of a row.
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
  int device = 0, multiprocessors = 0;
  int status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess) status = allow_shared(reinterpret_cast<const void*>(kernel), shared);
  if (status != cudaSuccess) return status;
  const std::uint64_t tiles = values >> (tile_bits + 1);
  const auto at_once = static_cast<std::uint64_t>(multiprocessors) >> cluster_bits << cluster_bits;
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

// The values between two passes are read once.
struct BetweenSource {
  const Pair* pairs;
  __device__ Pair operator()(std::uint64_t start, std::uint64_t beyond) const {
    const float2 pair = __ldcs(reinterpret_cast<const float2*>(pairs + start + beyond));
    return {pair.x, pair.y};
  }
};

template <class Half>
int launch_passes_of(const void* in, void* out, float* between, std::uint64_t values, int log2_size,
                     float factor, CUstream_st* stream) {
  constexpr int low = kHalfTileBits, high = kSmallTileBits;
  Pair* const pairs = reinterpret_cast<Pair*>(between);
  const std::uint64_t count = values / 2;
  const int status =
      launch_work(contiguous_work<Pair, low>(StageRange{0, low}, source_of<Half>(in), ValueSink<Pair>{pairs}, count),
                  tiles_of(count, low), stream);
  if (status != cudaSuccess) return status;
  const int stages = log2_size - 1 - low;
  const int rows = larger(stages, register_bits_of(high));
  const WalshPass pass{true, high, high - rows, low + stages - rows, high - stages, high};
  const HalfSink<Half> sink{static_cast<std::uint32_t*>(out), factor};
  return launch_work(strided_work<Pair, high>(pass, BetweenSource{pairs}, sink, count), tiles_of(count, high),
                     stream);
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

int launch_half_passes(Half half, const void* in, void* out, float* between, std::uint64_t values, int log2_size,
                       float factor, CUstream_st* stream) {
  return with_half(half, [&](auto type) {
    return launch_passes_of<decltype(type)>(in, out, between, values, log2_size, factor, stream);
  });
}

}  // namespace fugu::kernels
