// Sizes that the transforms of CPU and GPU both refuse.
#pragma once

#include <cstddef>
#include <string>

#include "fugu/error.hpp"
#include "fugu/spectral/options.hpp"

namespace fugu::spectral::detail {

// Throws Error{usage} unless the values are whole rows of 2^log2_size.
inline void check_rows(std::size_t values, int log2_size) {
  if (log2_size < 0 || log2_size > kMaxLog2Size) {
    throw Error(Errc::usage,
                "n = " + std::to_string(log2_size) + " is outside 0 to " + std::to_string(kMaxLog2Size));
  }
  if (values % (std::size_t{1} << log2_size) != 0) {
    throw Error(Errc::usage,
                std::to_string(values) + " values are not whole rows of 2^" + std::to_string(log2_size));
  }
}

}  // namespace fugu::spectral::detail
