// Blowfish on one GPU, or on all of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fugu/engine/engine.hpp"

namespace fugu::engine::cuda {

// `devices`: indices as in device::inventory(). Throws Error{no_device} or Error{engine} when one of them
// cannot be started.
std::unique_ptr<Engine> make_cuda_engine(std::string name, const std::vector<int>& devices);

}  // namespace fugu::engine::cuda
