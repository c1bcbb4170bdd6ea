// Rows of the boomerang tables of permutations, one row per block.
#include "kernels/sbox/boomerang_agent.hpp"
#include "kernels/sbox/sbox_shells.cuh"

namespace fugu::kernels {
namespace {

constexpr unsigned kMaxThreads = 1024;

struct DeviceAtomics {
  __device__ static std::uint32_t exchange(std::uint32_t* word, std::uint32_t value) {
    return atomicExch(word, value);
  }
  __device__ static std::uint32_t compare_exchange(std::uint32_t* word, std::uint32_t expected,
                                                   std::uint32_t value) {
    return atomicCAS(word, expected, value);
  }
  __device__ static std::uint32_t add(std::uint32_t* word, std::uint32_t value) {
    return atomicAdd(word, value);
  }
};

struct BoomerangShared {
  EntryCounts beta;  // by beta / 2
  EntryCounts phi;   // by phi / 4
};

// Return the counters of a block.
__device__ PackedCounters<DeviceAtomics> counters_of(const BoomerangRows<std::uint16_t>&,
                                                     BoomerangShared& shared) {
  auto* const words = reinterpret_cast<std::uint32_t*>(&shared + 1);
  return PackedCounters<DeviceAtomics>(words);
}
__device__ WholeCounters<DeviceAtomics> counters_of(const BoomerangRows<std::uint32_t>& rows,
                                                    BoomerangShared&) {
  return WholeCounters<DeviceAtomics>(rows.counters + (static_cast<std::uint64_t>(blockIdx.x) << rows.bits));
}

template <class Value>
__global__ void __launch_bounds__(kMaxThreads)
    boomerang_rows_kernel(const __grid_constant__ BoomerangRows<Value> rows) {
  auto& shared = shared_of<BoomerangShared>();
  const auto counters = counters_of(rows, shared);
  const std::uint32_t size = 1u << rows.bits, pairs = size / 2;
  const auto drain = [&](std::uint32_t count, auto visit) {
    counters.drain(threadIdx.x, blockDim.x, count, visit);
    __syncthreads();
  };
  shared.beta.clear();
  shared.phi.clear();
  if constexpr (sizeof(Value) == 2)
    clear(reinterpret_cast<std::uint32_t*>(&shared + 1), PackedCounters<DeviceAtomics>::words_of(size));
  __syncthreads();
  PairTally beta, phi;
  Value* const before = rows.before + static_cast<std::uint64_t>(blockIdx.x) * pairs;
  for (std::uint32_t a = rows.first + blockIdx.x; a < rows.last; a += gridDim.x) {
    const BoomerangThread<Value> thread(rows.values, rows.bits, a, before, threadIdx.x, blockDim.x);
    if (__syncthreads_and(thread.group(counters)) == 0) {
      if (threadIdx.x == 0) *rows.is_no_permutation = 1;
      return;
    }
    drain(size, [](std::uint32_t) {});
    thread.add_beta(counters);
    __syncthreads();
    drain(size, [&](std::uint32_t half) {
      beta.add(half, [&](std::uint32_t many) { shared.beta.count(many, rows.beta); });
    });
    thread.add_phi(counters);
    __syncthreads();
    drain(pairs, [&](std::uint32_t quarter) {
      phi.add(quarter, [&](std::uint32_t many) { shared.phi.count(many, rows.phi); });
    });
  }
  shared.beta.add(beta);
  shared.phi.add(phi);
  __syncthreads();
  shared.beta.flush(rows.beta);
  shared.phi.flush(rows.phi);
}

template <class Value>
int launch(const BoomerangRows<Value>& rows, std::size_t counter_bytes, CUstream_st* stream) {
  const std::uint32_t pairs = 1u << (rows.bits - 1), count = rows.last - rows.first;
  const unsigned threads = pairs < 32 ? 32 : pairs < kMaxThreads ? pairs : kMaxThreads;
  return launch_filling(boomerang_rows_kernel<Value>, threads, sizeof(BoomerangShared) + counter_bytes,
                        count < rows.blocks ? count : rows.blocks, rows, stream);
}

}  // namespace

int launch_boomerang_rows(const BoomerangRows<std::uint16_t>& rows, CUstream_st* stream) {
  return launch(rows, 4 * PackedCounters<DeviceAtomics>::words_of(1u << rows.bits), stream);
}

int launch_boomerang_rows(const BoomerangRows<std::uint32_t>& rows, CUstream_st* stream) {
  return launch(rows, 0, stream);
}

}  // namespace fugu::kernels
