// The Walsh spectra of all components: W(a,b) = sum over x of (-1)^(b.S(x) + a.x), row a, column b.
#pragma once

#include <optional>

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

struct LinearComponent {
  std::uint32_t largest = 0;  // max |W(a,b)| over all a
  std::int8_t correlation_immunity = 0;
  bool balanced = false;
  bool plateaued = false;  // |W(.,b)| takes one value besides 0

  friend bool operator==(const LinearComponent&, const LinearComponent&) = default;
};

struct Linear {
  Histogram walsh;  // of W(a,b), all a, b != 0
  std::uint64_t linearity = 0;
  std::uint64_t nonlinearity = 0;
  std::uint64_t attained = 0;  // entries with |W| = linearity
  std::uint32_t first_a = 0;   // the first of them, row by row
  std::uint32_t first_b = 0;
  std::int32_t first_value = 0;
  std::uint64_t zeros = 0;           // entries with W = 0
  bool almost_bent = false;          // n = m odd and linearity 2^((n+1)/2)
  std::uint64_t plateaued = 0;       // components
  std::uint64_t bent = 0;            // components
  std::optional<int> branch_number;  // min wt(a) + wt(b), a != 0, b != 0, W(a,b) != 0; none: all are constant
  std::uint64_t one_bit_to_one = 0;  // nonzero W(a,b) with wt(a) = wt(b) = 1
  int correlation_immunity = 0;      // of the box: the least of its components
  int resiliency = -1;               // the same if the box is balanced, otherwise -1
  std::vector<LinearComponent> components;  // by b; [0] is not filled

  friend bool operator==(const Linear&, const Linear&) = default;
};

// Throws Error{usage} above kMaxOutputsOfAll outputs.
FUGU_EXPORT Linear linear(const SBox& box, const SBoxOptions& options = {});

// Computes the remaining fields from the histogram, the linearity and the components.
FUGU_EXPORT void complete(int inputs, int outputs, Linear& linear);

// row[b] = W(a,b) for every b.
FUGU_EXPORT void lat_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row);

// The nonlinearity of a component: (2^n - largest) / 2.
inline std::uint64_t nonlinearity_of(const SBox& box, std::uint64_t largest) {
  return (box.size() - largest) / 2;
}

// The nonlinearity of every component of a box with too many outputs for a list of its components.

inline constexpr int kMaxExhaustiveInputs = 10;

struct ExhaustiveProfile {
  Histogram nonlinearities;          // of all 2^m - 1 components
  std::uint64_t linearity = 0;       // max |W(a,b)| over all a and b != 0
  std::vector<std::uint32_t> masks;  // b of the components that reach it, ascending; kMaxListedMasks at most
};
inline constexpr std::size_t kMaxListedMasks = 4096;

// A step is a component. Throws Error{usage} above kMaxExhaustiveInputs inputs.
FUGU_EXPORT ExhaustiveProfile exhaustive_components(const SBox& box, const SBoxOptions& options = {});

// About how many seconds it takes on one core.
FUGU_EXPORT double exhaustive_seconds(const SBox& box);

}  // namespace fugu::spectral
