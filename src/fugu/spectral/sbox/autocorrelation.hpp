// The autocorrelation of all components: r(a,b) = sum over x of (-1)^(b.(S(x) + S(x + a))).
#pragma once

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

struct Autocorrelation {
  std::uint32_t indicator = 0;            // max |r(a,b)|, a != 0, b != 0
  int propagation = 0;                    // largest l with r(a,b) = 0 for 1 <= wt(a) <= l, b != 0
  std::vector<std::uint32_t> indicators;  // by b: max over a != 0; [0] is not filled
  std::vector<std::uint64_t> sums;        // by b: sum over all a of r(a,b)^2; [0] is not filled
  std::vector<std::uint64_t> structures;  // by b: a != 0 with |r(a,b)| = N; [0] is not filled

  friend bool operator==(const Autocorrelation&, const Autocorrelation&) = default;
};

// Throws Error{usage} above kMaxOutputsOfAll outputs.
FUGU_EXPORT Autocorrelation autocorrelation(const SBox& box, const SBoxOptions& options = {});

// How often each value of r(a,b) occurs, a != 0, b != 0. Throws as above.
FUGU_EXPORT Histogram act_histogram(const SBox& box, const SBoxOptions& options = {});

// row[b] = r(a,b) for every b.
FUGU_EXPORT void autocorrelation_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row);

// The strict avalanche criterion and bit independence.
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
