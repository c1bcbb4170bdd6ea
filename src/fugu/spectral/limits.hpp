// Narrower work than this CPU can do, for tests and the program's self-test. Not public.
#pragma once

#include "fugu/spectral/options.hpp"

namespace fugu::spectral {

struct WalshLimits {
  Isa isa = best_isa();  // more than best_isa() is an error
  int cache_bits = 0;    // rows of at most 2^cache_bits values take one pass; 0: as many as the caches hold
};

inline WalshLimits limits_of(const WalshOptions& options) {
  return options.limits != nullptr ? *options.limits : WalshLimits{};
}

}  // namespace fugu::spectral
