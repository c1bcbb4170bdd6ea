// The Moebius transform of packed functions, value x in bit x % 64 of word x / 64. Internal.
#pragma once

#include <cstdint>
#include <span>

#include "fugu/spectral/detail/parallel.hpp"

namespace fugu::spectral::detail {

// In place.
void moebius(std::span<std::uint64_t> words, int variables, const Workers& workers);

// The degree of an algebraic normal form; -1 for 0.
int degree_of_form(std::span<const std::uint64_t> form, const Workers& workers);

}  // namespace fugu::spectral::detail
