// Blocked signals.
#pragma once

#include <signal.h>

#include "fugu/export.hpp"

namespace fugu::platform {

// Blocks signals on the calling thread while it lives.
class FUGU_EXPORT SignalBlock {
 public:
  explicit SignalBlock(const sigset_t& signals) noexcept { pthread_sigmask(SIG_BLOCK, &signals, &before_); }
  ~SignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  sigset_t before_;
};

// All signals except those that a thread raises by its own fault.
FUGU_EXPORT sigset_t asynchronous_signals() noexcept;

}  // namespace fugu::platform
