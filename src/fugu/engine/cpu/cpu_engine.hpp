// Any CPU kernel as an Engine: cuts segments into pieces and runs them on all threads.
#pragma once

#include <memory>
#include <string_view>

#include "fugu/engine/cpu/kernels.hpp"

namespace fugu::engine::cpu {

// `name` has static storage. `threads` 0: as many as this process may run on.
std::unique_ptr<Engine> make_cpu_engine(std::string_view name, Kernel kernel, unsigned threads);

}  // namespace fugu::engine::cpu
