// The S-box laboratory on a GPU: the definitions of fugu/spectral/sbox/.
#pragma once

#include "fugu/device/buffer.hpp"
#include "fugu/export.hpp"
#include "fugu/spectral/sbox/exhaustive.hpp"

namespace fugu::spectral::cuda {

inline constexpr int kMaxProfileInputs = 8;
inline constexpr int kMinProfileOutputs = 8;

// The nonlinearity of every component of a box of up to kMaxProfileInputs inputs and at least
// kMinProfileOutputs outputs. Waits. Throws Error{usage} for other boxes.
FUGU_EXPORT ExhaustiveProfile exhaustive_components(const SBox& box, const device::Stream& stream);

}  // namespace fugu::spectral::cuda
