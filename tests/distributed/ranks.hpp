// Tests that all ranks of mpirun run together: each case runs on every rank, and a failure on any rank fails
// the run.
#pragma once

#include "fugu/distributed/communicator.hpp"
#include "support/testing.hpp"

namespace fugu::distributed {

// All ranks.
const Communicator& world();

}  // namespace fugu::distributed
