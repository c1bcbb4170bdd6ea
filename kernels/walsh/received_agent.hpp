// Finds the values of a row whose parts arrive from several GPUs.
#pragma once

#include <cstdint>

#include "fugu/core/hd.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::kernels {

template <class T>
FUGU_HD const T* place_of(const T* data, const ReceivedParts& parts, std::uint64_t at) {
  const std::uint64_t part = at >> parts.column_bits;
  if (part == parts.own) return data + at;
  const std::uint64_t own_before = part > parts.own ? 1 : 0;
  return static_cast<const T*>(parts.values) + at - (own_before << parts.column_bits);
}

}  // namespace fugu::kernels
