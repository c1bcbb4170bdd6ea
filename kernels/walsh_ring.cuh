// The kernel shell of passes whose blocks stay and work on one tile while the next one lands.
#pragma once

#include "kernels/ring_agent.hpp"
#include "kernels/walsh_shells.cuh"

namespace fugu::kernels {

// Arrives later: await_pieces(). The rest of a line of the second-level cache is wanted soon too, by this
// block or another.
struct AsyncCopy {
  template <class T>
  __device__ void operator()(T* to, const T* from) const {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;"
                 :
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from)
                 : "memory");
#else
    *reinterpret_cast<int4*>(to) = *reinterpret_cast<const int4*>(from);
#endif
  }
};

// All that the block's threads had begun to copy is there for every one of them.
__device__ inline void await_pieces() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
  __syncthreads();
}

template <class Pass, int phase = 0, class T>
__device__ void walk_ring(typename Pass::Tile& tile, T* ring, unsigned turn) {
  ring_step<Pass, phase>(tile, ring, turn, threadIdx.x);
  __syncthreads();
  if constexpr (phase + 1 < Pass::kPhases) walk_ring<Pass, phase + 1>(tile, ring, turn);
}

template <class T, class Pass, class Sink>
__global__ void __launch_bounds__(Pass::Tile::kThreads, 1)
    ring_kernel(const T* data, Sink sink, TileGeometry geometry, std::uint64_t tiles) {
  using Tile = typename Pass::Tile;
  T* ring = shared_values<T>();
  const auto fetch = [&](unsigned half, std::uint64_t tile) {
    if (tile < tiles) Tile::fetch(AsyncCopy{}, ring, half, data, geometry, tile, threadIdx.x);
  };
  wait_for_earlier_pass();
  fetch(0, blockIdx.x);
  fetch(1, blockIdx.x);
  std::uint64_t number = blockIdx.x;
  for (unsigned turn = 0; number < tiles; ++turn, number += gridDim.x) {
    Tile tile;
    await_pieces();
    fetch(2 * turn + 2, number + gridDim.x);
    walk_ring<Pass>(tile, ring, turn);
    fetch(2 * turn + 3, number + gridDim.x);
    ring_finish<Pass>(tile);
    auto&& out = sink_of_tile(sink, number);
    tile.store(out, geometry, number, threadIdx.x, Pass::window(Pass::kPhases - 1), ~std::uint64_t{0});
  }
}

// One block to a multiprocessor; `neighbours` of them as in launch_neighbours().
template <class Pass, class T, class Sink>
int launch_ring(unsigned neighbours, const T* data, Sink sink, const TileGeometry& geometry,
                std::uint64_t tiles, CUstream_st* stream) {
  using Tile = typename Pass::Tile;
  static_assert(Tile::kRingBytes <= kRingBytes);
  int device = 0, multiprocessors = 0;
  int status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (status != cudaSuccess) return status;
  const auto at_once = static_cast<std::uint64_t>(multiprocessors);
  const std::uint64_t blocks = (tiles < at_once ? tiles : at_once) / neighbours * neighbours;
  return launch_neighbours(neighbours, ring_kernel<T, Pass, Sink>, blocks, Tile::kThreads, Tile::kRingBytes,
                           stream, data, sink, geometry, tiles);
}

}  // namespace fugu::kernels
