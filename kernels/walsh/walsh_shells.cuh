// The kernel shells of the Walsh transform and their launchers. A shell runs an agent's phases with barriers
// between them. Included by the .cu files that name the sources and sinks.
#pragma once

#include "kernels/spectral_launch.hpp"
#include "kernels/walsh/chain_agent.hpp"
#include "kernels/walsh/walsh_agent.hpp"

namespace fugu::kernels {

template <class T>
__device__ T* shared_values() {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  return reinterpret_cast<T*>(shared_bytes);
}

template <class T, int tile_bits>
using Contiguous = ContiguousPass<T, tile_bits, register_bits_of(tile_bits)>;
template <class T, int tile_bits>
using Strided = StridedPass<T, tile_bits, register_bits_of(tile_bits)>;

// Waits until all work queued before is complete and visible.
__device__ inline void await_earlier_pass() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

// A pass may be launched while the pass before it still runs: its blocks start as soon as an SM has room
// for them, and wait until all earlier work is complete and visible.
__device__ inline void allow_next_pass() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

__device__ inline void wait_for_earlier_pass() {
  allow_next_pass();
  await_earlier_pass();
}

// Loads fetch whole L2 lines: if a row of a tile is a part of a line, other blocks will soon need the rest.
template <class T>
struct LineSource {
  const T* data;
  __device__ T operator()(std::uint64_t start, std::uint64_t beyond) const {
    const T* from = data + start + beyond;
    if constexpr (sizeof(T) == 2) {
      std::uint16_t bits;
      asm volatile("ld.global.L2::128B.u16 %0, [%1];" : "=h"(bits) : "l"(from));
      return __builtin_bit_cast(T, bits);
    } else if constexpr (sizeof(T) == 4) {
      std::uint32_t bits;
      asm volatile("ld.global.L2::128B.u32 %0, [%1];" : "=r"(bits) : "l"(from));
      return __builtin_bit_cast(T, bits);
    } else {
      std::uint64_t bits;
      asm volatile("ld.global.L2::128B.u64 %0, [%1];" : "=l"(bits) : "l"(from));
      return __builtin_bit_cast(T, bits);
    }
  }
};

// The threads that work on one tile are a whole block.
struct WholeBlock {
  template <class T>
  static __device__ T* shared() {
    return shared_values<T>();
  }
  static __device__ void wait() { __syncthreads(); }
  static __device__ void wait_for_earlier_tile() {}
};

// One of several groups of a block, threadIdx.y. It has its own tiles and does not wait for other groups.
// After wait_for_earlier_tile(), which follows a tile's loads, no thread still reads the shared memory of the
// tile before.
template <int threads, std::size_t shared_bytes>
struct BlockGroup {
  template <class T>
  static __device__ T* shared() {
    return shared_values<T>() + threadIdx.y * (shared_bytes / sizeof(T));
  }
  static __device__ void wait() {
    asm volatile("bar.sync %0, %1;" : : "r"(threadIdx.y + 1), "n"(threads) : "memory");
  }
  static __device__ void wait_for_earlier_tile() { wait(); }
};

// Computes all stages, from values in the walk's first window to results in its last one.
template <class Pass, Walk walk, class Group = WholeBlock, class T>
__device__ void walk_contiguous(typename Pass::Tile& tile, T* shared, StageRange stages) {
  Pass::template step<walk, 0>(tile, shared, threadIdx.x, stages);
  Group::wait();
  Pass::template step<walk, 1>(tile, shared, threadIdx.x, stages);
  Group::wait();
  Pass::template step<walk, 2>(tile, shared, threadIdx.x, stages);
}

template <class Pass, Walk walk, class Group = WholeBlock, class T>
__device__ void walk_strided(typename Pass::Tile& tile, T* shared, const TileGeometry& geometry,
                             StageRange stages) {
  Pass::template step<walk, 0>(tile, shared, threadIdx.x, geometry, stages);
  Group::wait();
  Pass::template step<walk, 1>(tile, shared, threadIdx.x, geometry, stages);
}

// Returns the sink for a tile: by default one for all tiles.
template <class Sink>
__device__ Sink& sink_of_tile(Sink& sink, std::uint64_t) {
  return sink;
}

// The resources that a block with one tile uses.
template <class T, int tile_bits>
struct TileBlock {
  static constexpr int kThreads = WalshTile<T, tile_bits, register_bits_of(tile_bits)>::kThreads;
  static constexpr int kBlocksPerSm = blocks_per_sm(tile_bits, sizeof(T));
  static constexpr std::size_t kSharedBytes = tile_shared_bytes(tile_bits, sizeof(T));
};

// The work of a block, or of one of its groups, on one tile.
template <class T, int tile_bits, class Source, class Sink, class Group = WholeBlock>
struct ContiguousWork : TileBlock<T, tile_bits> {
  using Pass = Contiguous<T, tile_bits>;

  Source source;
  Sink sink;
  StageRange stages;
  std::uint64_t size;

  __device__ void operator()(std::uint64_t number) {
    typename Pass::Tile tile;
    tile.load(source, Pass::geometry(), number, threadIdx.x, Pass::first_window(Walk::forward), size);
    Group::wait_for_earlier_tile();
    walk_contiguous<Pass, Walk::forward, Group>(tile, Group::template shared<T>(), stages);
    auto&& out = sink_of_tile(sink, number);
    tile.store(out, Pass::geometry(), number, threadIdx.x, Pass::last_window(Walk::forward), size);
  }
};

template <class T, int tile_bits, class Source, class Sink, class Group = WholeBlock,
          class Size = std::uint64_t>
struct StridedWork : TileBlock<T, tile_bits> {
  using Pass = Strided<T, tile_bits>;

  Source source;
  Sink sink;
  TileGeometry geometry;
  StageRange stages;
  Size size;

  __device__ void operator()(std::uint64_t number) {
    typename Pass::Tile tile;
    tile.load(source, geometry, number, threadIdx.x, Pass::first_window(Walk::forward, geometry, stages),
              size);
    Group::wait_for_earlier_tile();
    walk_strided<Pass, Walk::forward, Group>(tile, Group::template shared<T>(), geometry, stages);
    auto&& out = sink_of_tile(sink, number);
    tile.store(out, geometry, number, threadIdx.x, Pass::last_window(Walk::forward, geometry, stages), size);
  }
};

template <class Work>
__global__ void __launch_bounds__(Work::kThreads, Work::kBlocksPerSm) pass_kernel(Work work) {
  wait_for_earlier_pass();
  work(blockIdx.x);
}

// A gathering sink processes many tiles of a block's groups: sink.begin() is called before the first,
// sink.end() after the last. There is one block per multiprocessor, and at most one per tile.
template <class Work, class Group, int groups>
__global__ void __launch_bounds__(Work::kThreads* groups, 1) gather_kernel(Work work, std::uint64_t tiles) {
  allow_next_pass();
  work.sink.begin();  // writes nothing that an earlier pass uses
  await_earlier_pass();
  const std::uint64_t step = std::uint64_t{gridDim.x} * groups;
  for (std::uint64_t number = blockIdx.x + std::uint64_t{gridDim.x} * threadIdx.y; number < tiles;
       number += step)
    work(number);
  __syncthreads();
  work.sink.end();
}

// Waits until *word reaches `count`. Everything that other blocks wrote before adding to it is then visible
// to the whole block.
__device__ inline void await_count(const std::uint32_t* word, std::uint32_t count) {
  std::uint32_t reached = threadIdx.x == 0 ? 0 : count;
  while (reached < count) {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(reached) : "l"(word) : "memory");
  }
  __syncthreads();
}

__device__ inline void add_one(std::uint32_t* word) {
  __syncthreads();
  if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" : : "l"(word) : "memory");
}

template <class First, class Second>
struct ChainRow {
  std::uint32_t* done;
  First first;
  Second second;
};

// The blocks of a second row follow those of the first.
template <class Row, unsigned count>
struct ChainRows {
  Row row[count];
};

// No later kernel starts while a chain runs: with an overlapping pass after it, transforms of 2^27 32-bit
// values took 709 instead of 687 us (H200).
template <class First, class Second, unsigned count>
__global__ void __launch_bounds__(First::kThreads, First::kBlocksPerSm)
    chain_kernel(ChainShape shape, const __grid_constant__ ChainRows<ChainRow<First, Second>, count> rows) {
  static_assert(First::kThreads == Second::kThreads && First::kBlocksPerSm == Second::kBlocksPerSm);
  const std::uint64_t blocks = chain_blocks(shape);
  const unsigned which = count == 1 ? 0 : blockIdx.x >= blocks;
  const ChainStep step = chain_step(shape, blockIdx.x - which * blocks);
  const ChainRow<First, Second>& row = rows.row[which];
  std::uint32_t* const chunk_done = row.done + chain_chunk(shape, step);
  await_earlier_pass();
  if (step.second) {
    await_count(chunk_done, shape.tiles_per_chunk);
    Second second = row.second;
    second(step.tile);
  } else {
    First first = row.first;
    first(step.tile);
    add_one(chunk_done);
  }
}

// Up to 48 KB need no attribute; a kernel may have a little static shared memory besides `shared`.
inline int allow_shared(const void* kernel, std::size_t shared) {
  if (shared < 47 * 1024) return cudaSuccess;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
}

// Returns whether the current device has compute capability 9.0, which overlapping passes and neighbouring
// blocks need.
inline bool compute_capability_9() {
  int device = 0;
  int major = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
         major >= 9;
}

// Sets *count to the multiprocessors of the current device.
inline int count_multiprocessors(std::uint64_t* count) {
  int device = 0, multiprocessors = 0;
  int status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  *count = static_cast<std::uint64_t>(multiprocessors);
  return status;
}

// Returns the number of neighbouring blocks that share the cache lines of a tile's rows.
template <class T>
unsigned neighbours_of(const WalshPass& pass, std::uint64_t tiles) {
  return (sizeof(T) << pass.column_bits) < kLineBytes && tiles % 2 == 0 ? 2 : 1;
}

// Starts `neighbours` blocks of consecutive numbers together, on multiprocessors close to each other.
template <class... Parameters, class... Arguments>
int launch_grid(unsigned neighbours, void (*kernel)(Parameters...), std::uint64_t blocks, dim3 threads,
                std::size_t shared, CUstream_st* stream, Arguments... arguments) {
  if (blocks == 0) return cudaSuccess;
  if (blocks > 0x7fffffffu) return cudaErrorInvalidConfiguration;
  const int status = allow_shared(reinterpret_cast<const void*>(kernel), shared);
  if (status != cudaSuccess) return status;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = threads;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim.x = neighbours;
  attributes[1].val.clusterDim.y = 1;
  attributes[1].val.clusterDim.z = 1;
  config.attrs = attributes;
  config.numAttrs = !compute_capability_9() ? 0 : neighbours == 1 ? 1 : 2;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

template <class... Parameters, class... Arguments>
int launch_neighbours(unsigned neighbours, void (*kernel)(Parameters...), std::uint64_t blocks, int threads,
                      std::size_t shared, CUstream_st* stream, Arguments... arguments) {
  return launch_grid(neighbours, kernel, blocks, dim3(static_cast<unsigned>(threads)), shared, stream,
                     arguments...);
}

template <class... Parameters, class... Arguments>
int launch_blocks(void (*kernel)(Parameters...), std::uint64_t blocks, int threads, std::size_t shared,
                  CUstream_st* stream, Arguments... arguments) {
  return launch_neighbours(1, kernel, blocks, threads, shared, stream, arguments...);
}

template <class Work>
int launch_work(const Work& work, std::uint64_t tiles, CUstream_st* stream) {
  return launch_blocks(pass_kernel<Work>, tiles, Work::kThreads, Work::kSharedBytes, stream, work);
}

// `more_shared` is the sink's shared memory behind the tiles, in bytes.
template <class Group, int groups, class Work>
int launch_gathering(const Work& work, std::uint64_t tiles, std::size_t more_shared, CUstream_st* stream) {
  std::uint64_t at_once = 0;
  const int status = count_multiprocessors(&at_once);
  if (status != cudaSuccess) return status;
  return launch_grid(1, gather_kernel<Work, Group, groups>, tiles < at_once ? tiles : at_once,
                     dim3(Work::kThreads, groups), groups * Work::kSharedBytes + more_shared, stream, work,
                     tiles);
}

template <class First, class Second, class... More>
int launch_chain(const ChainShape& shape, CUstream_st* stream, const ChainRow<First, Second>& row,
                 const More&... more) {
  static_assert(First::kSharedBytes == Second::kSharedBytes);
  constexpr unsigned count = 1 + sizeof...(More);
  const ChainRows<ChainRow<First, Second>, count> rows{{row, more...}};
  return launch_blocks(chain_kernel<First, Second, count>, count * chain_blocks(shape), First::kThreads,
                       First::kSharedBytes, stream, shape, rows);
}

template <class T, int tile_bits, class Group = WholeBlock, class Source, class Sink>
ContiguousWork<T, tile_bits, Source, Sink, Group> contiguous_work(StageRange stages, Source source, Sink sink,
                                                                  std::uint64_t values) {
  return {{}, source, sink, stages, values};
}

template <class T, int tile_bits, class Group = WholeBlock, class Source, class Sink, class Size>
StridedWork<T, tile_bits, Source, Sink, Group, Size> strided_work(const WalshPass& pass, Source source,
                                                                  Sink sink, Size values) {
  return {{},    source, sink, TileGeometry{pass.column_bits, pass.first}, StageRange{pass.from, pass.to},
          values};
}

constexpr std::uint64_t tiles_of(std::uint64_t values, int tile_bits) {
  return (values + (std::uint64_t{1} << tile_bits) - 1) >> tile_bits;
}

}  // namespace fugu::kernels
