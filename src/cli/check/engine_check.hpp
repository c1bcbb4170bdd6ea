// An engine against values this project did not compute: published vectors, and OpenSSL's Blowfish on random
// input.
//
// Takes any Engine, so that a test can pass a broken one and see it fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fugu/engine/engine.hpp"

namespace fugu::cli {

struct EngineVerdict {
  std::size_t vectors = 0;       // that agreed, in both directions
  std::size_t cross_checks = 0;  // that agreed
  std::string difference;        // the first difference; empty: none

  bool agrees() const { return difference.empty(); }
};

// Stops at the first difference. `seed` determines every random choice. Throws Error{engine} when the engine
// or OpenSSL's legacy provider fails.
EngineVerdict check_engine(engine::Engine& engine, std::uint64_t rounds, std::uint64_t seed);

}  // namespace fugu::cli
