// Counts the pairs of a row in a block's shared memory, one or four bits per entry.
#pragma once

#include "kernels/sbox/row_agent.hpp"
#include "kernels/sbox/sbox_shells.cuh"
#include "kernels/sbox/sparse_row_agent.hpp"

namespace fugu::kernels {

__device__ inline void clear_fours(std::uint32_t* words, std::uint32_t count) {
  auto* const fours = reinterpret_cast<uint4*>(words);
  for (std::uint32_t i = threadIdx.x; i < count / 4; i += blockDim.x) fours[i] = {};
}

// Updates the least weight of a nonzero entry, unless the weight of a rules out a smaller one.
template <unsigned threads, class Rows>
__device__ void note_lightest(const Rows& rows, std::uint32_t a) {
  const auto weight = static_cast<std::uint32_t>(ones(a));
  if (weight >= __ldcg(rows.lightest)) return;
  std::uint32_t least = kNoWeight;
  for_each_pair<threads>(rows.values, threadIdx.x, 1u << (rows.inputs - 1), a, [&](std::uint32_t b) {
    const auto here = static_cast<std::uint32_t>(ones(b));
    least = here < least ? here : least;
  });
  const std::uint32_t lightest = warp_minimum(least) + weight;
  if (threadIdx.x % 32 == 0 && lightest < __ldcg(rows.lightest)) atomicMin(rows.lightest, lightest);
}

// Updates the largest delta(a,0); `pairs` is delta(a,0) / 2. Called by one thread.
template <class Rows>
__device__ void note_zero(const Rows& rows, std::uint32_t pairs) {
  if (2 * pairs > __ldcg(rows.largest_zero)) atomicMax(rows.largest_zero, 2 * pairs);
}

// Words of the block's shared memory to which a condition adds without a branch: after a branch, the compiler
// computes the address of that memory again.
class SharedCounters {
 public:
  __device__ explicit SharedCounters(const std::uint32_t* words) {
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
    asm volatile("mov.u32 %0, %1;" : "=r"(address_) : "r"(address));
  }

  __device__ void add(std::uint32_t word, std::uint32_t value) const {
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(address_ + 4 * word), "r"(value) : "memory");
  }
  __device__ void add_if(bool wanted, std::uint32_t word, std::uint32_t value) const {
    asm volatile("{.reg .pred wanted; setp.ne.u32 wanted, %2, 0; @wanted red.shared.add.u32 [%0], %1;}" ::"r"(
                     address_ + 4 * word),
                 "r"(value), "r"(static_cast<std::uint32_t>(wanted))
                 : "memory");
  }

 private:
  std::uint32_t address_;
};

// Calls visit(b) for each pair of row a.
template <unsigned threads, class Rows, class Visit>
__device__ void for_each_pair_of(const Rows& rows, std::uint32_t a, const Visit& visit) {
  const std::uint32_t pairs = 1u << (rows.inputs - 1);
  if (a < 4) return for_each_pair<threads>(rows.values, threadIdx.x, pairs, a, visit);
  switch (a % 4) {
    case 0:
      return for_each_of_fours<threads, 0>(rows.values, threadIdx.x, pairs / 4, a, visit);
    case 1:
      return for_each_of_fours<threads, 1>(rows.values, threadIdx.x, pairs / 4, a, visit);
    case 2:
      return for_each_of_fours<threads, 2>(rows.values, threadIdx.x, pairs / 4, a, visit);
    default:
      return for_each_of_fours<threads, 3>(rows.values, threadIdx.x, pairs / 4, a, visit);
  }
}

}  // namespace fugu::kernels
