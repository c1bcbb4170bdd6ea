// Tests that all ranks of mpirun run together: each case on every rank, a failure on any of them fails the
// run.
#pragma once

#include <gtest/gtest.h>

#include "fugu/distributed/communicator.hpp"

namespace fugu::distributed {

// All ranks.
const Communicator& world();

}  // namespace fugu::distributed
