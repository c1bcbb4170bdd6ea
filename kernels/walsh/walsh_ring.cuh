// The kernel shell of passes with persistent blocks that transform one tile while the next is copied.
#pragma once

#include "kernels/walsh/ring_agent.hpp"
#include "kernels/walsh/walsh_shells.cuh"

namespace fugu::kernels {

// Starts a copy, for which await_pieces() waits, and fetches whole L2 lines: this block or another will soon
// need the rest.
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

// A cluster barrier: without it neighbours would drift apart and load their shared lines twice.
__device__ inline void keep_pace_with_neighbours() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.aligned;" : : : "memory");
#endif
}

// Waits until everything that the block's threads have started to copy is visible to all of them.
template <class Pass>
__device__ void await_pieces() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
  if constexpr (!Pass::kContiguous) keep_pace_with_neighbours();
  __syncthreads();
}

// Prefetches half `half` of a tile into L2. This is a hint, so the values need not be final.
template <class Pass, class T>
__device__ void prefetch_half(const T* data, const TileGeometry& geometry, std::uint64_t tile,
                              unsigned half) {
#if __CUDA_ARCH__ >= 900
  using Tile = typename Pass::Tile;
  const unsigned first = half * Tile::kHalf;
  if constexpr (Pass::kContiguous) {
    const T* from = data + Tile::offset(geometry, tile, first);
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(from), "n"(Tile::kHalf * sizeof(T)));
    }
  } else {
    constexpr unsigned kColumns = 1u << Pass::kColumnBits;
    for (unsigned at = kColumns * threadIdx.x; at < Tile::kHalf; at += kColumns * Tile::kThreads) {
      asm volatile("prefetch.global.L2 [%0];" : : "l"(data + Tile::offset(geometry, tile, first + at)));
    }
  }
#endif
}

template <class Pass, int phase = 0, class T>
__device__ void walk_ring(typename Pass::Tile& tile, T* ring, unsigned turn) {
  ring_step<Pass, phase>(tile, ring, turn, threadIdx.x);
  __syncthreads();
  if constexpr (phase + 1 < Pass::kPhases) walk_ring<Pass, phase + 1>(tile, ring, turn);
}

// Prefetches the first values into L2 before the previous kernel has finished; in contiguous passes also the
// second half of the next tile, whose ring slot is still in use. No later kernel starts while a strided pass
// runs.
template <class T, class Pass, class Sink>
__global__ void __launch_bounds__(Pass::Tile::kThreads, 1)
    ring_kernel(const T* data, Sink sink, TileGeometry geometry, std::uint64_t tiles) {
  using Tile = typename Pass::Tile;
  T* ring = shared_values<T>();
  const auto fetch = [&](unsigned half, std::uint64_t tile) {
    if (tile < tiles) Tile::fetch(AsyncCopy{}, ring, half, data, geometry, tile, threadIdx.x);
  };
  if constexpr (Pass::kContiguous) allow_next_pass();
  prefetch_half<Pass>(data, geometry, blockIdx.x, 0);
  await_earlier_pass();
  fetch(0, blockIdx.x);
  fetch(1, blockIdx.x);
  std::uint64_t number = blockIdx.x;
  for (unsigned turn = 0; number < tiles; ++turn, number += gridDim.x) {
    Tile tile;
    await_pieces<Pass>();
    const std::uint64_t next = number + gridDim.x;
    fetch(2 * turn + 2, next);
    if constexpr (Pass::kContiguous) {
      if (next < tiles) prefetch_half<Pass>(data, geometry, next, 1);
    }
    walk_ring<Pass>(tile, ring, turn);
    fetch(2 * turn + 3, next);
    ring_finish<Pass>(tile);
    tile.store(sink, geometry, number, threadIdx.x, Pass::window(Pass::kPhases - 1), ~std::uint64_t{0});
  }
}

// One block per multiprocessor; those of a strided pass form clusters of two neighbours. Transforms of 2^25
// and 2^26 32-bit values, back to back, take 150 and 308 us with the cluster barrier, 152 and 316 without
// (H200).
template <class Pass, class T, class Sink>
int launch_ring(const T* data, Sink sink, const TileGeometry& geometry, std::uint64_t tiles,
                CUstream_st* stream) {
  using Tile = typename Pass::Tile;
  static_assert(Tile::kRingBytes <= kRingBytes);
  std::uint64_t at_once = 0;
  const int status = count_multiprocessors(&at_once);
  if (status != cudaSuccess) return status;
  const unsigned neighbours = !Pass::kContiguous && tiles % 2 == 0 ? 2 : 1;
  const std::uint64_t blocks = (tiles < at_once ? tiles : at_once) / neighbours * neighbours;
  return launch_neighbours(neighbours, ring_kernel<T, Pass, Sink>, blocks, Tile::kThreads, Tile::kRingBytes,
                           stream, data, sink, geometry, tiles);
}

}  // namespace fugu::kernels
