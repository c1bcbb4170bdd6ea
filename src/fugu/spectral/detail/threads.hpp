// The number of threads that options mean. Internal.
#pragma once

#include "fugu/threads/processors.hpp"

namespace fugu::spectral::detail {

// 0: all that this process may run on.
inline unsigned threads_of(unsigned threads) {
  return threads == 0 ? fugu::threads::usable_processors() : threads;
}

}  // namespace fugu::spectral::detail
