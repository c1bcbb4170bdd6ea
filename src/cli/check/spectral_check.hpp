// Checks the CPU's Walsh transforms against published values.
#pragma once

#include <cstddef>
#include <string>

namespace fugu::cli {

struct SpectralVerdict {
  std::size_t values = 0;  // published values that were reproduced
  std::string difference;  // the first difference; empty: none

  bool agrees() const { return difference.empty(); }
};

// Checks every type of values and every instruction set of this machine. Stops at the first difference.
SpectralVerdict check_spectral(unsigned threads);

}  // namespace fugu::cli
