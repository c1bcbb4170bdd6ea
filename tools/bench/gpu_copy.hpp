#pragma once

#include <cstdint>
#include <string>

#include "gpu_bench.hpp"

namespace fugu::bench {

// Engine::run from host memory to host memory, in place in memory from Engine::allocate. `engine` is a name
// for engine::make.
void bench_copy(Samples& samples, const std::string& engine, std::uint64_t bytes, int count);

// The same in memory from elsewhere, in several sizes.
void bench_ordinary(Samples& samples, const std::string& engine, int count);

// The same over sizes, CPU and GPU side by side: where the GPU overtakes all cores.
void bench_crossover(Samples& samples, const std::string& engine, int count);

// From nothing to the end of the first small run in this process: call it first.
void bench_startup(Samples& samples, const std::string& engine);

}  // namespace fugu::bench
