// The checks of fugu selftest that concern no engine. Each stops at the first difference.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fugu::cli {

struct Verdict {
  std::string_view title;  // "spectra"
  std::string difference;  // the first one; empty: none
  std::string counted;     // for people: "53 published values"
  std::vector<std::pair<std::string_view, std::size_t>> counts = {};  // for JSON

  bool agrees() const { return difference.empty(); }
};

// Opens embedded files of a second implementation of the sealed format, and altered copies that must not open.
Verdict check_sealed();

// Compares the CPU's Walsh transforms with published values, in every type of values and with every
// instruction set of this machine.
Verdict check_spectral(unsigned threads);

}  // namespace fugu::cli
