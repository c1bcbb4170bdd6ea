// Nonlinear invariants of degree at most 2 (Todo, Leander and Sasaki 2016).
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/spectral/sbox/sbox.hpp"

namespace fugu::spectral {

// g(S(x)) + g(x) = `constant` for all x.
struct NonlinearInvariant {
  std::vector<std::uint32_t> monomials;  // monomials of g: the masks of their variables, one or two bits each
  bool constant;
};

// A basis of the space of all g of degree at most 2 without a constant term. Only the last of it may have the
// constant 1. Throws Error{usage} unless n = m.
FUGU_EXPORT std::vector<NonlinearInvariant> nonlinear_invariants(const SBox& box,
                                                                 const SBoxOptions& options = {});

}  // namespace fugu::spectral
