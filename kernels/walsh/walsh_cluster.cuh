// The kernel shell of passes by clusters of blocks.
#pragma once

#include "kernels/walsh/cluster_agent.hpp"
#include "kernels/walsh/walsh_shells.cuh"

namespace fugu::kernels {

// A place in the shared memory of a block of the cluster.
template <class T>
struct ClusterPlace {
  unsigned address;

  __device__ void put(unsigned distance, T value) const {
#if __CUDA_ARCH__ >= 900
    const unsigned to = address + distance * static_cast<unsigned>(sizeof(T));
    if constexpr (sizeof(T) == 4) {
      asm volatile("st.shared::cluster.b32 [%0], %1;"
                   :
                   : "r"(to), "r"(__builtin_bit_cast(std::uint32_t, value))
                   : "memory");
    } else {
      asm volatile("st.shared::cluster.b64 [%0], %1;"
                   :
                   : "r"(to), "l"(__builtin_bit_cast(std::uint64_t, value))
                   : "memory");
    }
#endif
  }
};

// The calling block's cluster: 2^cluster_bits blocks of consecutive numbers.
template <int cluster_bits>
struct Cluster {
  __device__ static unsigned rank() { return blockIdx.x & ((1u << cluster_bits) - 1); }

  template <class T>
  __device__ static ClusterPlace<T> of(unsigned rank, T* place) {
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(place));
#if __CUDA_ARCH__ >= 900
    asm("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(rank));
#endif
    return {address};
  }

  __device__ static void arrive() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.aligned;" : : : "memory");
#endif
  }
  __device__ static void wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.aligned;" : : : "memory");
#endif
  }
};

template <class T, class Sink>
struct ClusterWork {
  static constexpr int kTileBits = cluster_tile_bits(sizeof(T)), kClusterBits = cluster_bits(sizeof(T));
  using Pass = ClusterPass<T, kTileBits, cluster_register_bits(sizeof(T)), kClusterBits>;
  static constexpr int kThreads = Pass::Tile::kThreads;
  static constexpr int kBlocksPerSm = kClusterBlocksPerSm;
  static constexpr std::size_t kSharedBytes = tile_shared_bytes(kTileBits, sizeof(T));

  const T* data;
  Sink sink;

  __device__ void operator()(std::uint64_t number) {
    const Cluster<kClusterBits> cluster;
    T* shared = shared_values<T>();
    cluster.arrive();  // the others' shared memory exists once they have
    typename Pass::Tile tile;
    tile.load(ValueSource<T>{data}, Pass::geometry(), number, threadIdx.x, Pass::kFirstWindow, NoEnd{});
    Pass::first(tile);
    cluster.wait();
    Pass::exchange(tile, cluster, shared, threadIdx.x);
    cluster.arrive();
    cluster.wait();
    Pass::middle(tile, shared, threadIdx.x);
    __syncthreads();
    Pass::last(tile, shared, threadIdx.x);
    Pass::store(tile, sink, number, threadIdx.x);
  }
};

template <class T, class Sink>
int launch_clusters(const T* data, std::uint64_t values, const Sink& sink, CUstream_st* stream) {
  using Work = ClusterWork<T, Sink>;
  return launch_neighbours(1u << Work::kClusterBits, pass_kernel<Work>, values >> Work::kTileBits,
                           Work::kThreads, Work::kSharedBytes, stream, Work{data, sink});
}

}  // namespace fugu::kernels
