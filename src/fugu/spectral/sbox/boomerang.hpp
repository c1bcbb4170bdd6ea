// The boomerang connectivity table and its Feistel counterpart.
//   beta(a,b) = #{(x,y): S(x) + S(y) = b, S(x + a) + S(y + a) = b}   (Li, Qu, Sun and Li 2019; of
//   permutations
//               the table of Cid et al. 2018)
//   phi(a,b)  = #{x: S(x) + S(x + a) + S(x + b) + S(x + a + b) = 0}  (Boukerrou et al. 2020)
#pragma once

#include <compare>
#include <optional>

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

// The tables that follow a boomerang through several rounds, of a permutation S. With T_d(x) = S^-1(S(x) +
// d):
//   UBCT(a,b,d)    = #{x: S(x) + S(x + a) = b, T_d(x) + T_d(x + a) = a}
//   LBCT(a,c,d)    = #{x: x + T_d(x) = c, T_d(x) + T_d(x + a) = a}
//   EBCT(a,b,c,d)  = #{x: both}                               (Delaune, Derbez and Vavrille 2020)
//   DBCT(a,d)      = sum over b, c of UBCT(a,b,c) LBCT(b,c,d) (Hadipour, Bagheri and Song 2021)

inline constexpr int kMaxFamilyBits = 8;

struct BoomerangFamily {
  Histogram ubct;  // over a, b, d != 0
  Histogram lbct;  // over a, c, d != 0
  Histogram ebct;  // over a, b, c, d != 0
  Histogram dbct;  // over a, d != 0
};

// All throw Error{usage} unless the box is a permutation of at most kMaxFamilyBits bits.
FUGU_EXPORT BoomerangFamily boomerang_family(const SBox& box, const SBoxOptions& options = {});

enum class SwitchTable : std::uint8_t { ubct, lbct, ebct };

struct SwitchEntry {
  std::uint32_t a;
  std::uint32_t b;  // 0 in the LBCT, which lacks it
  std::uint32_t c;  // 0 in the UBCT
  std::uint32_t d;
  std::int64_t count;

  friend auto operator<=>(const SwitchEntry&, const SwitchEntry&) = default;
};

// The entries that are not 0, of differences that are not 0, in ascending order: at most N^2 / 2.
FUGU_EXPORT std::vector<SwitchEntry> switch_entries(const SBox& box, SwitchTable table,
                                                    const SBoxOptions& options = {});

// [a * N + d] = DBCT(a,d).
FUGU_EXPORT std::vector<std::int64_t> dbct(const SBox& box, const SBoxOptions& options = {});

}  // namespace fugu::spectral
