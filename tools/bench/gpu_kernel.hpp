#pragma once

#include <cstdint>
#include <string>

#include "gpu_bench.hpp"

namespace fugu::bench {

// Each operation over `bytes` of device memory, in the shape that the policy chooses, also in place.
void bench_kernels(Samples& samples, std::uint64_t bytes, int count);

// ECB encryption over thread-blocks x threads per block x blocks per thread: the basis of
// kernels/blowfish/blowfish_policy.hpp.
void bench_sweep(Samples& samples, std::uint64_t bytes, int count);

// A few launches of one operation and nothing else, for a profiler.
void bench_one_kernel(const std::string& name, std::uint64_t bytes);

// Copies of pinned memory up, down, both at once, and on the device: the ceilings.
void bench_link(Samples& samples, std::uint64_t bytes, int count);

// Copies up and down on every device at once: the host's total rate. Bytes are those of one direction,
// summed.
void bench_link_all(Samples& samples, std::uint64_t bytes, int count);

}  // namespace fugu::bench
