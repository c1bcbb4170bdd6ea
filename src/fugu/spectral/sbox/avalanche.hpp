// The strict avalanche criterion, bit independence, linear structures and the transparency order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

struct Avalanche {
  std::vector<std::uint64_t> changes;  // [i * m + j] = #{x: y_j changes when x_i does}
  std::uint64_t least_change = 0;      // the least of changes
  std::uint64_t most_change = 0;
  std::uint64_t changes_sum = 0;
  std::vector<std::uint64_t> pair_nonlinearities;  // those of y_j + y_k, j < k; empty for one output
  std::uint64_t pair_changes_sum = 0;  // over pairs j < k and i: #{x: y_j + y_k changes when x_i does}
};

FUGU_EXPORT Avalanche avalanche(const SBox& box, const SBoxOptions& options = {});

// (a,b) with r(a,b) = +N or -N, a != 0, b != 0.
struct LinearStructures {
  std::uint64_t positive = 0;
  std::uint64_t negative = 0;
};

FUGU_EXPORT LinearStructures linear_structures(const SBox& box, const SBoxOptions& options = {});

struct LinearStructure {
  std::uint32_t a;
  std::uint32_t b;
  bool negative;  // r(a,b) = -N

  friend bool operator==(const LinearStructure&, const LinearStructure&) = default;
};

// The first `most` of them, ascending by a, then b.
FUGU_EXPORT std::vector<LinearStructure> list_linear_structures(const SBox& box, std::size_t most);

inline constexpr int kMaxTransparencyOutputs = 16;

// max over beta of |m - 2 wt(beta)| - 1/(N^2 - N) sum over a != 0 of |sum over j of (-1)^beta_j r(a,2^j)|.
// Throws Error{usage} above kMaxTransparencyOutputs outputs.
FUGU_EXPORT double transparency_order(const SBox& box, const SBoxOptions& options = {});

// max over beta of m - 1/(N^2 - N) sum over a != 0 and j of |sum over i of (-1)^(beta_i + beta_j) C_ij(a)|,
// where C_ij(a) = sum over x of (-1)^(y_i(x) + y_j(x + a)) (Chakraborty et al. 2017). Throws as above.
FUGU_EXPORT double revised_transparency_order(const SBox& box, const SBoxOptions& options = {});

// The term of beta in the first, from N and the sum over a.
FUGU_EXPORT double transparency_of(std::size_t size, int outputs, std::uint32_t beta, std::uint64_t total);

}  // namespace fugu::spectral
