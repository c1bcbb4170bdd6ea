// The S-box laboratory on a GPU. The definitions are those of fugu/spectral/sbox/.
#pragma once

#include "fugu/spectral/cuda/device_box.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/spectral/sbox/sidechannel.hpp"

namespace fugu::spectral::cuda {

inline constexpr int kMaxProfileInputs = 8;
inline constexpr int kMinProfileOutputs = 8;

// Returns whether exhaustive_components() supports boxes of this shape.
constexpr bool has_profile_kernels(int inputs, int outputs) noexcept {
  return inputs <= kMaxProfileInputs && outputs >= kMinProfileOutputs;
}
// Returns whether linear(), difference_tables() and component_degrees() support boxes of this shape.
constexpr bool has_table_kernels(int outputs) noexcept {
  return outputs <= kMaxOutputsOfAll;
}

// Returns whether boomerang() supports permutations of this shape.
constexpr bool has_boomerang_kernels(int inputs, int outputs) noexcept {
  return inputs == outputs;
}

// Returns whether transparency_order() supports boxes of this shape.
constexpr bool has_transparency_kernels(int outputs) noexcept {
  return outputs <= kMaxTransparencyOutputs;
}

// These functions return the same values as on the CPU. They block until the result is complete and throw
// Error{usage} for other shapes. Those with a `stop` throw Error{interrupted} soon after it is requested.
FUGU_EXPORT ExhaustiveProfile exhaustive_components(const DeviceBox& box);
FUGU_EXPORT Linear linear(const DeviceBox& box, const std::stop_token& stop = {});
FUGU_EXPORT std::vector<std::int8_t> component_degrees(const DeviceBox& box);
FUGU_EXPORT double transparency_order(const DeviceBox& box);
// Returns nothing, and does not throw Error{usage}, if the box is not a permutation.
FUGU_EXPORT std::optional<Boomerang> boomerang(const DeviceBox& box, const std::stop_token& stop = {});

// Both tables: each row of differences is counted once and then transformed.
struct DifferenceTables {
  Differential differential;
  Autocorrelation autocorrelation;
};
FUGU_EXPORT DifferenceTables difference_tables(const DeviceBox& box, const std::stop_token& stop = {});

// Returns one summary per box, for many small boxes at once. `values` is in host memory and has 2^inputs
// bytes per box. Blocks until the result is complete. Throws Error{usage} above kMaxSmallBits inputs or
// outputs.
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
