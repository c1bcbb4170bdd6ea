// The strict avalanche criterion and bit independence.
#pragma once

#include <cstdint>
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

}  // namespace fugu::spectral
