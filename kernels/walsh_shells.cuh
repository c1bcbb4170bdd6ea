// The kernel shells of the Walsh transform: an agent's phases with barriers between them, and how they are
// launched. Included by the .cu files that name the sources and sinks.
#pragma once

#include <cooperative_groups.h>

#include "kernels/spectral_launch.hpp"
#include "kernels/walsh_agent.hpp"

namespace fugu::kernels {

template <class T>
__device__ T* shared_values() {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  return reinterpret_cast<T*>(shared_bytes);
}

// Blocks an SM should hold at once, so that one block's memory time covers another's arithmetic: as many as
// 64 (128 for 64-bit values) registers a thread leave room for.
template <class T, int tile_bits>
constexpr int blocks_per_sm() {
  return tile_bits == 14 ? 2 : tile_bits == 13 ? (sizeof(T) == 8 ? 2 : 4) : 8;
}

template <class T, int tile_bits>
using Contiguous = ContiguousPass<T, tile_bits, register_bits_of(tile_bits)>;
template <class T, int tile_bits>
using Strided = StridedPass<T, tile_bits, register_bits_of(tile_bits)>;
template <class T, int tile_bits>
using Cluster = ClusterRound<T, tile_bits, register_bits_of(tile_bits)>;

// A pass may be launched while the pass before it still runs: its blocks take the places that become free at
// the end, and wait here until everything before is done and visible.
__device__ inline void wait_for_earlier_pass() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

// Sinks as the kernels take them: begin() comes before the first barrier, end() after the last value.
template <class Sink>
struct Plain : Sink {
  __device__ void begin() {}
  __device__ void end() {}
};

template <class Pass, class T>
__device__ void contiguous_forward(typename Pass::Tile& tile, T* shared, StageRange stages) {
  Pass::template forward<0>(tile, shared, threadIdx.x, stages);
  __syncthreads();
  Pass::template forward<1>(tile, shared, threadIdx.x, stages);
  __syncthreads();
  Pass::template forward<2>(tile, shared, threadIdx.x, stages);
  __syncthreads();
  Pass::template forward<3>(tile, shared, threadIdx.x, stages);
}

template <class Pass, class T>
__device__ void strided_forward(typename Pass::Tile& tile, T* shared, const TileGeometry& geometry,
                                StageRange stages) {
  Pass::template forward<0>(tile, shared, threadIdx.x, geometry, stages);
  __syncthreads();
  Pass::template forward<1>(tile, shared, threadIdx.x, geometry, stages);
}

template <class T, int tile_bits, class Source, class Sink>
__global__ void __launch_bounds__(Contiguous<T, tile_bits>::Tile::kThreads, blocks_per_sm<T, tile_bits>())
    contiguous_kernel(Source source, Sink sink, StageRange stages, std::uint64_t size) {
  using Pass = Contiguous<T, tile_bits>;
  typename Pass::Tile tile;
  wait_for_earlier_pass();
  sink.begin();
  tile.load(source, Pass::geometry(), blockIdx.x, threadIdx.x, Pass::first_window(), size);
  contiguous_forward<Pass>(tile, shared_values<T>(), stages);
  tile.store(sink, Pass::geometry(), blockIdx.x, threadIdx.x, Pass::last_window(), size);
  sink.end();
}

template <class T, int tile_bits, class Source, class Sink>
__global__ void __launch_bounds__(Strided<T, tile_bits>::Tile::kThreads, blocks_per_sm<T, tile_bits>())
    strided_kernel(Source source, Sink sink, TileGeometry geometry, StageRange stages, std::uint64_t size) {
  using Pass = Strided<T, tile_bits>;
  typename Pass::Tile tile;
  wait_for_earlier_pass();
  sink.begin();
  tile.load(source, geometry, blockIdx.x, threadIdx.x, Pass::first_window(), size);
  strided_forward<Pass>(tile, shared_values<T>(), geometry, stages);
  tile.store(sink, geometry, blockIdx.x, threadIdx.x, Pass::last_window(geometry, stages), size);
  sink.end();
}

// Every block of a group of four finishes its own tile, then the four do the stages between their tiles.
template <class T, int tile_bits, class Source, class Sink>
__global__ void __launch_bounds__(Contiguous<T, tile_bits>::Tile::kThreads, blocks_per_sm<T, tile_bits>())
    cluster_kernel(Source source, Sink sink, bool strided, TileGeometry geometry, StageRange stages,
                   std::uint64_t size) {
#if __CUDA_ARCH__ >= 900
  using Round = Cluster<T, tile_bits>;
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank();
  const std::uint64_t group = blockIdx.x / kClusterBlocks;
  const std::uint64_t number = peer_tile(geometry, group, rank);
  T* shared = shared_values<T>();
  typename Round::Tile tile;
  wait_for_earlier_pass();
  tile.load(source, geometry, number, threadIdx.x, Round::Tile::kTopWindow, size);
  if (strided) {
    strided_forward<Strided<T, tile_bits>>(tile, shared, geometry, stages);
    __syncthreads();
    tile.put(shared, threadIdx.x, Strided<T, tile_bits>::last_window(geometry, stages));
  } else {
    contiguous_forward<Contiguous<T, tile_bits>>(tile, shared, stages);
    __syncthreads();
    tile.put(shared, threadIdx.x, Contiguous<T, tile_bits>::last_window());
  }
  cluster.sync();
  Round::gather(
      tile, [&](unsigned block) { return cluster.map_shared_rank(shared, block); }, threadIdx.x, rank);
  // No block may end, or reuse its memory, while another reads it.
  cluster.sync();
  Round::store(tile, sink, geometry, group, threadIdx.x, rank);
#endif
}

inline int allow_shared(const void* kernel, std::size_t shared) {
  if (shared <= 48 * 1024) return cudaSuccess;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
}

// Compute capability 9.0 and up, of the current device.
inline bool has_overlap_and_clusters() {
  int device = 0;
  int major = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
         major >= 9;
}

// `cluster` blocks see each other's shared memory; 1 for none.
template <class... Parameters, class... Arguments>
int launch_blocks(void (*kernel)(Parameters...), std::uint64_t blocks, int threads, std::size_t shared,
                  unsigned cluster, CUstream_st* stream, Arguments... arguments) {
  if (blocks == 0) return cudaSuccess;
  if (blocks > 0x7fffffffu) return cudaErrorInvalidConfiguration;
  const int status = allow_shared(reinterpret_cast<const void*>(kernel), shared);
  if (status != cudaSuccess) return status;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim.x = cluster;
  attributes[1].val.clusterDim.y = 1;
  attributes[1].val.clusterDim.z = 1;
  config.attrs = attributes;
  if (has_overlap_and_clusters()) config.numAttrs = cluster > 1 ? 2 : 1;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

template <class T, int tile_bits, class Source, class Sink>
int launch_contiguous(StageRange stages, Source source, Sink sink, std::uint64_t values,
                      CUstream_st* stream) {
  const std::uint64_t blocks = (values + (std::uint64_t{1} << tile_bits) - 1) >> tile_bits;
  return launch_blocks(contiguous_kernel<T, tile_bits, Source, Sink>, blocks,
                       Contiguous<T, tile_bits>::Tile::kThreads, tile_shared_bytes(tile_bits, sizeof(T)), 1,
                       stream, source, sink, stages, values);
}

template <class T, int tile_bits, class Source, class Sink>
int launch_strided(const WalshPass& pass, Source source, Sink sink, std::uint64_t values,
                   CUstream_st* stream) {
  return launch_blocks(strided_kernel<T, tile_bits, Source, Sink>, values >> tile_bits,
                       Strided<T, tile_bits>::Tile::kThreads, tile_shared_bytes(tile_bits, sizeof(T)), 1,
                       stream, source, sink, TileGeometry{pass.column_bits, pass.first},
                       StageRange{pass.from, pass.to}, values);
}

template <class T, int tile_bits, class Source, class Sink>
int launch_cluster(const WalshPass& pass, Source source, Sink sink, std::uint64_t values,
                   CUstream_st* stream) {
  return launch_blocks(cluster_kernel<T, tile_bits, Source, Sink>, values >> tile_bits,
                       Contiguous<T, tile_bits>::Tile::kThreads, tile_shared_bytes(tile_bits, sizeof(T)),
                       kClusterBlocks, stream, source, sink, pass.strided,
                       TileGeometry{pass.column_bits, pass.first}, StageRange{pass.from, pass.to}, values);
}

}  // namespace fugu::kernels
