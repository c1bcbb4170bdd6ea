// Checks the sealed format against embedded files of a second implementation.
#pragma once

#include <cstddef>
#include <string>

namespace fugu::cli {

struct SealedVerdict {
  std::size_t files = 0;    // opened or refused as expected
  std::size_t altered = 0;  // copies with one byte changed or missing, all refused
  std::string difference;   // the first difference; empty: none

  bool agrees() const { return difference.empty(); }
};

// Stops at the first difference.
SealedVerdict check_sealed();

}  // namespace fugu::cli
