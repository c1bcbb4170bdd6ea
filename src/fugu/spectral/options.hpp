// How transforms of 2^n values run, and in which order their coefficients lie (walsh.hpp).
#pragma once

#include <cstdint>
#include <stop_token>

#include "fugu/export.hpp"

namespace fugu::threads {
class ThreadPool;
}

namespace fugu::spectral {

enum class Ordering : std::uint8_t { natural, dyadic, sequency };

// The instruction sets that the vector code is compiled for; higher ones include lower ones.
enum class Isa : std::uint8_t { baseline, avx2, avx512 };

// The best one that this CPU and operating system support.
FUGU_EXPORT Isa best_isa();

inline constexpr int kMaxLog2Size = 40;

struct FUGU_EXPORT WalshOptions {
  Ordering ordering = Ordering::natural;
  unsigned threads = 0;  // most to start for the call; 0: as many as this process may run on

  // Runs the loops instead of threads started for the call; `threads` is then ignored. Several callers may
  // share one.
  fugu::threads::ThreadPool* pool = nullptr;

  // After a stop request the work ends early with Error{interrupted}; its output is then unspecified.
  std::stop_token stop = {};

  const struct WalshLimits* limits = nullptr;  // for tests only
};

// Returns n with 2^n == size. Throws Error{usage}, with the size, when it is not a power of two.
FUGU_EXPORT int log2_exact(std::uint64_t size);

}  // namespace fugu::spectral
