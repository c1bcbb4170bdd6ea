// The boomerang connectivity table and its Feistel counterpart.
//   beta(a,b) = #{(x,y): S(x) + S(y) = b, S(x + a) + S(y + a) = b}   (Li, Qu, Sun and Li 2019; of
//   permutations
//               the table of Cid et al. 2018)
//   phi(a,b)  = #{x: S(x) + S(x + a) + S(x + b) + S(x + a + b) = 0}  (Boukerrou et al. 2020)
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

struct Boomerang {
  Histogram bct;                                    // of beta(a,b), a != 0, b != 0
  std::uint32_t uniformity = 0;                     // the largest of these
  Histogram fbct;                                   // of phi(a,b), a != 0, b != 0, a != b
  std::optional<std::uint32_t> feistel_uniformity;  // the largest of these; none for one input

  friend bool operator==(const Boomerang&, const Boomerang&) = default;
};

// Takes time in proportion to the sum of delta(a,b)^2, at most 2^3n.
FUGU_EXPORT Boomerang boomerang(const SBox& box, const SBoxOptions& options = {});

// Computes the remaining fields from the histograms.
FUGU_EXPORT void complete(Boomerang& boomerang);

// row[b] = beta(a,b), or phi(a,b), for every b.
FUGU_EXPORT void bct_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row);
FUGU_EXPORT void fbct_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row);

}  // namespace fugu::spectral
