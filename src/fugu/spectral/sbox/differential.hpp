// The difference distribution table: delta(a,b) = #{x: S(x) + S(x + a) = b}.
#pragma once

#include "fugu/spectral/sbox/field.hpp"

namespace fugu::spectral {

struct Differential {
  Histogram ddt;                     // of delta(a,b), a != 0, all b
  std::uint32_t uniformity = 0;      // the largest of these
  std::uint64_t attained = 0;        // how many entries reach it
  std::uint32_t largest_zero = 0;    // max delta(a, 0), a != 0
  bool apn = false;                  // uniformity 2 and n = m
  int branch_number = 0;             // min wt(a) + wt(b), a != 0, delta(a,b) > 0
  std::uint64_t one_bit_to_one = 0;  // nonzero delta(a,b) with wt(a) = wt(b) = 1

  friend bool operator==(const Differential&, const Differential&) = default;
};

FUGU_EXPORT Differential differential(const SBox& box, const SBoxOptions& options = {});

// max delta(a,b), a != 0, all b; above `bound`, the largest entry of the first row with such a one.
FUGU_EXPORT std::uint32_t uniformity(const SBox& box, std::uint32_t bound);

// row[b] = delta(a,b) for every b.
FUGU_EXPORT void ddt_row(const SBox& box, std::uint32_t a, std::span<std::int32_t> row);

struct DdtEntry {
  std::uint32_t b;
  std::uint32_t count;
};

// The nonzero entries of row a, in ascending order of b: for boxes with many outputs.
FUGU_EXPORT std::vector<DdtEntry> ddt_entries(const SBox& box, std::uint32_t a);

inline constexpr int kMaxCDifferentialBits = 12;

// By c: max over a, b (a != 0 if c = 1) of #{x: S(x + a) + c S(x) = b} (Ellingsen et al. 2020). Throws
// Error{usage} unless n = m, the bits of the field, and at most kMaxCDifferentialBits.
FUGU_EXPORT std::vector<std::uint32_t> c_differential_uniformity(const SBox& box, const BinaryField& field,
                                                                 const SBoxOptions& options = {});

inline constexpr int kMaxUndisturbedInputs = 16;

// An undisturbed bit (Tezcan 2014): bit j of S(x) + S(x + a) is `value` for all x.
struct UndisturbedBit {
  std::uint32_t a;
  std::uint32_t j;
  bool value;
};

// Those of all a != 0, ascending by a, then j. Throws Error{usage} above kMaxUndisturbedInputs inputs.
FUGU_EXPORT std::vector<UndisturbedBit> undisturbed_bits(const SBox& box, const SBoxOptions& options = {});

inline constexpr int kMaxQuasidifferentialBits = 10;  // of inputs, and of outputs

// Of a quasidifferential transition matrix (Beyne and Rijmen 2022), row[b * M + v] = sum over the x with S(x)
// + S(x + a) = b of (-1)^(u.x + v.S(x)), of the row a * N + u: 2^n times an entry of the matrix. Throws
// Error{usage} for a box with more inputs or outputs.
FUGU_EXPORT void quasidifferential_row(const SBox& box, std::uint32_t row_number,
                                       std::span<std::int32_t> row);

}  // namespace fugu::spectral
