// The sealed format against files of a second implementation, which come with the program.
#pragma once

#include <cstddef>
#include <string>

namespace fugu::cli {

struct SealedVerdict {
  std::size_t files = 0;    // that opened, or were refused, as they should
  std::size_t altered = 0;  // copies with one byte changed or missing, all refused
  std::string difference;   // the first one; empty: none

  bool agrees() const { return difference.empty(); }
};

// Stops at the first difference.
SealedVerdict check_sealed();

}  // namespace fugu::cli
