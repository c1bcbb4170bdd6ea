// Linear structures, derivatives of components that are constant, and nonlinear invariants.
#pragma once

#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

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

// A nonlinear invariant of degree at most 2 (Todo, Leander and Sasaki 2016): g(S(x)) + g(x) = `constant` for
// all x.
struct NonlinearInvariant {
  std::vector<std::uint32_t> monomials;  // monomials of g: the masks of their variables, one or two bits each
  bool constant;
};

// A basis of the space of all g of degree at most 2 without a constant term. Only the last of it may have the
// constant 1. Throws Error{usage} unless n = m.
FUGU_EXPORT std::vector<NonlinearInvariant> nonlinear_invariants(const SBox& box,
                                                                 const SBoxOptions& options = {});

}  // namespace fugu::spectral
