// The checks of fugu selftest, against values that this project did not compute. Each stops at the first
// difference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fugu/engine/engine.hpp"

namespace fugu::cli {

struct Verdict {
  std::string title;                                                  // "spectra"
  std::string difference;                                             // the first one; empty: none
  std::string counted;                                                // for people: "53 published values"
  std::vector<std::pair<std::string_view, std::size_t>> counts = {};  // counts of what agreed, for JSON

  bool agrees() const { return difference.empty(); }
};

// Compares an engine with published vectors in both directions, and with OpenSSL's Blowfish on random input,
// which `seed` determines. Takes any Engine, so that a test can pass a broken one and see it fail. Throws
// Error{engine} when the engine or OpenSSL's legacy provider fails.
Verdict check_engine(engine::Engine& engine, std::uint64_t rounds, std::uint64_t seed);

// Opens embedded files of a second implementation of the sealed format, and altered copies that must not
// open.
Verdict check_sealed();

// Compares the CPU's Walsh transforms with published values, in every type of values and with every
// instruction set of this machine.
Verdict check_spectral(unsigned threads);

}  // namespace fugu::cli
