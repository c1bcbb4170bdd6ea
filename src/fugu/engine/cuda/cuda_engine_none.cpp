// Stubs for a build without CUDA: there are no CUDA engines to make.
#include "fugu/engine/cuda/cuda_engine.hpp"
#include "fugu/error.hpp"

namespace fugu::engine::cuda {

std::unique_ptr<Engine> make_cuda_engine(std::string name, const std::vector<int>&, unsigned) {
  throw Error(Errc::no_device, "engine " + name + ": this build has no CUDA");
}

}  // namespace fugu::engine::cuda
