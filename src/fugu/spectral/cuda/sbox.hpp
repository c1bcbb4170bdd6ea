// The S-box laboratory on a GPU: the definitions of fugu/spectral/sbox/.
#pragma once

#include "fugu/device/buffer.hpp"
#include "fugu/export.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/exhaustive.hpp"
#include "fugu/spectral/sbox/linear.hpp"

namespace fugu::spectral::cuda {

inline constexpr int kMaxProfileInputs = 8;
inline constexpr int kMinProfileOutputs = 8;

// The nonlinearity of every component of a box of up to kMaxProfileInputs inputs and at least
// kMinProfileOutputs outputs. Waits. Throws Error{usage} for other boxes.
FUGU_EXPORT ExhaustiveProfile exhaustive_components(const SBox& box, const device::Stream& stream);

// The same values as on the CPU. They wait, and throw Error{usage} for more inputs than kMaxTableInputs and
// for more outputs than kMaxOutputsOfAll (linear) or kMaxRowOutputs.
inline constexpr int kMaxTableInputs = 16;
inline constexpr int kMaxRowOutputs = 16;

// Whether the differential and the autocorrelation of this box are computed here.
inline bool has_row_kernels(const SBox& box) noexcept {
  return box.inputs() <= kMaxTableInputs && box.outputs() <= kMaxRowOutputs;
}

FUGU_EXPORT Linear linear(const SBox& box, const device::Stream& stream);
FUGU_EXPORT Differential differential(const SBox& box, const device::Stream& stream);
FUGU_EXPORT Autocorrelation autocorrelation(const SBox& box, const device::Stream& stream);

// Up to kMaxInputs inputs and kMaxOutputsOfAll outputs.
FUGU_EXPORT std::vector<std::int8_t> component_degrees(const SBox& box, const device::Stream& stream);

// Many small boxes at once, one after the other in `values`, 2^inputs bytes each. Waits. Throws Error{usage}
// above kMaxSmallBits inputs or outputs.
inline constexpr int kMaxSmallBits = 8;
struct SmallBoxSummary {
  std::uint16_t linearity;
  std::uint16_t uniformity;
  std::int8_t degree;

  friend bool operator==(const SmallBoxSummary&, const SmallBoxSummary&) = default;
};
FUGU_EXPORT std::vector<SmallBoxSummary> summarize_boxes(int inputs, int outputs,
                                                         std::span<const std::uint8_t> values,
                                                         const device::Stream& stream);

}  // namespace fugu::spectral::cuda
