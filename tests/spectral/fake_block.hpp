// Runs the phases of a kernel's agent on the host. Every thread of a block completes a phase before any
// begins the next, as with a barrier. If a phase reads what another thread writes in the same phase, its
// results differ between the two orders of threads that are tried.
#pragma once

#include <cstddef>
#include <vector>

namespace fugu::spectral::test {

enum class ThreadOrder { upwards, downwards };

// Calls phase(state, thread) for every thread.
template <class State, class Phase>
void run_phase(std::vector<State>& threads, ThreadOrder order, Phase phase) {
  const std::size_t count = threads.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t thread = order == ThreadOrder::upwards ? i : count - 1 - i;
    phase(threads[thread], static_cast<unsigned>(thread));
  }
}

}  // namespace fugu::spectral::test

namespace fugu::spectral {
using namespace test;  // NOLINT(google-global-names-in-headers): fugu::spectral::test
}
