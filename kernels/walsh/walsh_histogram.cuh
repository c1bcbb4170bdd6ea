// A last pass that counts the values instead of writing them.
#pragma once

#include "kernels/walsh/walsh_maximum.cuh"

namespace fugu::kernels {

// Adds to a block's counters, which are in the order of counter_of(). Additions return no value, so no thread
// waits for them. The address stays in a register; wherever the compiler computes it, this takes a third as
// many instructions as the addition's others.
class CounterAdder {
 public:
  // `words` is shared memory.
  __device__ void set(const std::uint32_t* words) {
    at_ = static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
    asm volatile("" : "+r"(at_));
  }

  // Adds 1 to counter 2 pair or, if `sign` is ~0 instead of 0, to counter 2 pair + 1.
  __device__ void add_signed(std::uint32_t pair, std::uint32_t sign) const {
    asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(at_ + 8 * pair - 4 * sign) : "memory");
  }

 private:
  std::uint32_t at_;
};

// Counts how often each value occurs. W is even, so max |W| follows from the largest W and -W - 1. These
// divided by 2^step_bits are the numbers of pairs of counters. The likely quotients are counted in shared
// memory, behind the tiles, and these counters are added to the device's in the end; the others are counted
// in device memory at once.
template <std::size_t tile_words>
struct HistogramSink : MaximumSink {
  std::uint32_t block_pairs;
  CounterAdder adder{};

  __device__ static std::uint32_t* block_counters() { return shared_values<std::uint32_t>() + tile_words; }

  __device__ void begin() {
    MaximumSink::begin();
    adder.set(block_counters());
    for (std::uint32_t i = thread_of_block(); i < 2 * block_pairs; i += threads_of_block())
      block_counters()[i] = 0;
    __syncthreads();
  }

  __device__ void operator()(std::uint64_t, std::int32_t value) {
    const auto sign = static_cast<std::uint32_t>(value >> 31);
    const std::uint32_t magnitude = static_cast<std::uint32_t>(value) ^ sign;
    largest = max(largest, magnitude);
    const std::uint32_t pair = magnitude >> statistics.step_bits;
    if (pair < block_pairs) [[likely]] {
      adder.add_signed(pair, sign);
    } else {
      count_beyond(2 * pair - sign, value);
    }
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
    largest = (largest + 1) & ~1u;
    const std::uint32_t* const counters = block_counters();
    for (std::uint32_t i = thread_of_block(); i < block_pairs; i += threads_of_block()) {
      const auto pair = counters[2 * i] | static_cast<unsigned long long>(counters[2 * i + 1]) << 32;
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

// Each block has as many groups as leave room for a quarter of the likely quotients: those within two
// standard deviations. Block has the threads and the shared memory of a group. work_of<Group>(sink) returns
// the pass with this sink, a HistogramSink.
template <class Block, int groups = kCountingThreads / Block::kThreads, class WorkOf>
int launch_histogram(const WorkOf& work_of, std::uint64_t tiles, const SpectrumStatistics& statistics,
                     CUstream_st* stream) {
  using Group = BlockGroup<Block::kThreads, Block::kSharedBytes>;
  constexpr std::size_t tile_bytes = groups * Block::kSharedBytes, pair_bytes = 2 * sizeof(std::uint32_t);
  std::size_t shared = 0;
  const int status = shared_bytes_of_device(shared);
  if (status != cudaSuccess) return status;
  const std::int32_t likely = smaller(statistics.likely_half, statistics.half);
  const auto possible =
      static_cast<std::int32_t>(shared < tile_bytes ? 0 : (shared - tile_bytes) / pair_bytes);
  const auto pairs = static_cast<std::uint32_t>(smaller(possible, likely));
  if constexpr (groups > 1) {
    if (4 * pairs < static_cast<std::uint32_t>(likely))
      return launch_histogram<Block, groups / 2>(work_of, tiles, statistics, stream);
  }
  const HistogramSink<tile_bytes / sizeof(std::uint32_t)> sink{{statistics, 0}, pairs};
  return launch_gathering<Group, groups>(work_of.template operator()<Group>(sink), tiles, pairs * pair_bytes,
                                         stream);
}

}  // namespace fugu::kernels
