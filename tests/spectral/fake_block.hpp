// Runs the phases of a kernel's agent on the host: every thread of a block does one phase before any does the
// next, which is what a barrier means. A phase that read what another thread writes in the same phase would
// give a different answer in each of the two thread orders that are tried.
#pragma once

#include <cstddef>
#include <vector>

namespace fugu::spectral::test {

enum class ThreadOrder { upwards, downwards };

// phase(state, thread) for every thread.
template <class State, class Phase>
void run_phase(std::vector<State>& threads, ThreadOrder order, Phase phase) {
  const std::size_t count = threads.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t thread = order == ThreadOrder::upwards ? i : count - 1 - i;
    phase(threads[thread], static_cast<unsigned>(thread));
  }
}

}  // namespace fugu::spectral::test
