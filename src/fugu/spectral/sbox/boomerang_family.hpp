// The tables that follow a boomerang through several rounds, of a permutation S. With T_d(x) = S^-1(S(x) +
// d):
//   UBCT(a,b,d)    = #{x: S(x) + S(x + a) = b, T_d(x) + T_d(x + a) = a}
//   LBCT(a,c,d)    = #{x: x + T_d(x) = c, T_d(x) + T_d(x + a) = a}
//   EBCT(a,b,c,d)  = #{x: both}                               (Delaune, Derbez and Vavrille 2020)
//   DBCT(a,d)      = sum over b, c of UBCT(a,b,c) LBCT(b,c,d) (Hadipour, Bagheri and Song 2021)
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

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
