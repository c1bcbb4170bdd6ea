// Waiting for MPI with pauses: its own waits are busy loops, which would take processors from the work.
// Private to distributed.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "fugu/distributed/communicator.hpp"

namespace fugu::distributed {

// `between` is called before each pause; pauses become longer, up to a millisecond.
template <class Between>
void wait_for(MPI_Request& request, Between between) {
  using std::chrono::microseconds;
  for (microseconds pause(20);; pause = std::min(2 * pause, microseconds(1000))) {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    between();
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace fugu::distributed
