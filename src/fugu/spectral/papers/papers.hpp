// Algorithm 0 of D. Bikov, I. Bouyukliev, "Parallel Fast Walsh Transform Algorithm and Its Implementation
// with CUDA on GPUs", 2018: the sequential transform as printed. The parallel ones are in
// spectral/cuda/papers/papers.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "fugu/export.hpp"

namespace fugu::spectral {

// In place, natural order, no scale. Throws Error{usage} when the size is not a power of two.
FUGU_EXPORT void paper_walsh_0(std::span<std::int32_t> spectrum);

}  // namespace fugu::spectral
