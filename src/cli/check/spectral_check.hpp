// The Walsh transforms of the CPU against published values.
#pragma once

#include <cstddef>
#include <string>

namespace fugu::cli {

struct SpectralVerdict {
  std::size_t values = 0;  // published ones that came out
  std::string difference;  // the first one; empty: none

  bool agrees() const { return difference.empty(); }
};

// Every type of values and every instruction set that this machine has. Stops at the first difference.
SpectralVerdict check_spectral(unsigned threads);

}  // namespace fugu::cli
