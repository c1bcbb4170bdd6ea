// Linear structures: derivatives of components that are constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fugu/export.hpp"
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

}  // namespace fugu::spectral
