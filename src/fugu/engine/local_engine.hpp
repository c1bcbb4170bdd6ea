// The fastest CPU kernel on the calling thread, for callers that have threads of their own.
#pragma once

#include "fugu/engine/engine.hpp"
#include "fugu/export.hpp"

namespace fugu::engine {

// Starts no thread, allocates nothing for calls of one segment and keeps no state: any number of callers may
// share it, also after fork(). It lives as long as the process.
FUGU_EXPORT Engine& local_engine() noexcept;

}  // namespace fugu::engine
