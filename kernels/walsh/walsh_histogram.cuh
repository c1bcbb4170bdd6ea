// A last pass that counts the values instead of writing them.
#pragma once

#include "kernels/walsh/walsh_maximum.cuh"

namespace fugu::kernels {

// A block's counters in shared memory, in the order of counter_of(). 16-bit counters may overflow;
// SpectrumStatistics says how that is detected.
template <bool narrow>
struct BlockCounters {
  static constexpr std::size_t kPairBytes = narrow ? 4 : 8;

  std::uint32_t* words;
  std::uint32_t count;

  __device__ std::uint32_t word_count() const { return narrow ? count / 2 : count; }

  // Returns counters 2 pair and 2 pair + 1 in the layout of device memory.
  __device__ unsigned long long pair(std::uint32_t pair) const {
    if constexpr (narrow) {
      return (words[pair] & 0xffff) | static_cast<unsigned long long>(words[pair] >> 16) << 32;
    } else {
      return words[2 * pair] | static_cast<unsigned long long>(words[2 * pair + 1]) << 32;
    }
  }
};

// Adds to a block's counters. Additions return no value, so no thread waits for them. The address stays in a
// register; wherever the compiler computes it, this takes a third as many instructions as the addition's
// others.
class CounterAdder {
 public:
  // `words` is shared memory.
  __device__ void set(const std::uint32_t* words) {
    at_ = static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
    asm volatile("" : "+r"(at_));
  }

  // Adds 1 to counter 2 pair or, if `sign` is ~0 instead of 0, to counter 2 pair + 1.
  template <bool narrow>
  __device__ void add_signed(std::uint32_t pair, std::uint32_t sign) const {
    if constexpr (narrow) {
      add_at(at_ + 4 * pair, 1 - 0xffff * sign);
    } else {
      add_at(at_ + 8 * pair - 4 * sign, 1);
    }
  }

 private:
  static __device__ void add_at(std::uint32_t address, std::uint32_t addend) {
    asm volatile("red.shared.add.u32 [%0], %1;" : : "r"(address), "r"(addend) : "memory");
  }

  std::uint32_t at_;
};

// Counts the likely quotients in shared memory, behind the tiles, and adds these counters to the device's in
// the end; counts the others in device memory at once.
template <std::size_t tile_words, bool narrow>
struct BlockHistogram : MaximumSink {
  std::uint32_t block_count;
  CounterAdder adder{};

  __device__ BlockCounters<narrow> block_counters() const {
    return {shared_values<std::uint32_t>() + tile_words, block_count};
  }

  __device__ void begin() {
    MaximumSink::begin();
    const BlockCounters<narrow> counters = block_counters();
    adder.set(counters.words);
    for (std::uint32_t i = thread_of_block(); i < counters.word_count(); i += threads_of_block())
      counters.words[i] = 0;
    __syncthreads();
  }

  // Counts a value without a counter in shared memory.
  __device__ void count_beyond(std::uint32_t counter, std::int32_t value) {
    if (counter < 2 * static_cast<std::uint32_t>(statistics.half)) {
      atomicAdd(statistics.counts + counter, 1u);
    } else {
      const std::uint32_t slot = atomicAdd(statistics.other_count, 1u);
      if (slot < statistics.other_capacity) statistics.others[slot] = value;
    }
  }

  __device__ void end() {
    const BlockCounters<narrow> counters = block_counters();
    for (std::uint32_t i = thread_of_block(); i < block_count / 2; i += threads_of_block()) {
      const unsigned long long pair = counters.pair(i);
      if (pair != 0) atomicAdd(reinterpret_cast<unsigned long long*>(statistics.counts) + i, pair);
    }
    MaximumSink::end();
  }
};

inline int shared_bytes_of_device(std::size_t& bytes) {
  int device = 0, shared = 0;
  int status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  bytes = static_cast<std::size_t>(shared);
  return status;
}

// Returns the number of pairs of counters per block: those of the likely quotients, as far as memory
// suffices.
inline std::uint32_t block_pairs_of(const SpectrumStatistics& statistics, std::size_t bytes,
                                    std::size_t pair_bytes) {
  const auto possible = static_cast<std::int32_t>(bytes / pair_bytes);
  return static_cast<std::uint32_t>(smaller(possible, smaller(statistics.likely_half, statistics.half)));
}

// Each block has as many groups as leave room for a quarter of the likely quotients: those within two
// standard deviations. Block has the threads and the shared memory of a group. work_of<Group>(sink) returns
// the pass with this sink, a Sink<tile_words, narrow>.
template <template <std::size_t, bool> class Sink, class Block, bool narrow,
          int groups = kCountingThreads / Block::kThreads, class WorkOf>
int launch_histogram(const WorkOf& work_of, std::uint64_t tiles, const SpectrumStatistics& statistics,
                     CUstream_st* stream) {
  using Group = BlockGroup<Block::kThreads, Block::kSharedBytes>;
  constexpr std::size_t tile_bytes = groups * Block::kSharedBytes;
  constexpr std::size_t pair_bytes = BlockCounters<narrow>::kPairBytes;
  std::size_t shared = 0;
  const int status = shared_bytes_of_device(shared);
  if (status != cudaSuccess) return status;
  const std::uint32_t pairs =
      shared < tile_bytes ? 0 : block_pairs_of(statistics, shared - tile_bytes, pair_bytes);
  if constexpr (groups > 1) {
    if (4 * pairs < static_cast<std::uint32_t>(smaller(statistics.likely_half, statistics.half)))
      return launch_histogram<Sink, Block, narrow, groups / 2>(work_of, tiles, statistics, stream);
  }
  const Sink<tile_bytes / sizeof(std::uint32_t), narrow> sink{{{statistics, 0}, 2 * pairs}};
  return launch_gathering<Group, groups>(work_of.template operator()<Group>(sink), tiles, pairs * pair_bytes,
                                         stream);
}

}  // namespace fugu::kernels
