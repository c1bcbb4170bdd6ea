// Blowfish on one GPU, or on all of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fugu/engine/engine.hpp"

namespace fugu::engine::cuda {

// `devices`: indices as in device::inventory(). `threads`: of the CPU, for hooks and for its user's reading
// and writing; 0: as many as this process may run on. Throws Error{no_device} or Error{engine} when a device
// cannot be started.
std::unique_ptr<Engine> make_cuda_engine(std::string name, const std::vector<int>& devices,
                                         unsigned threads = 0);

}  // namespace fugu::engine::cuda
