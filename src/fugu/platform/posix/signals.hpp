// Blocked signals.
#pragma once

#include <signal.h>

#include <initializer_list>

#include "fugu/export.hpp"

namespace fugu::platform {

inline sigset_t signals_of(std::initializer_list<int> numbers) noexcept {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : numbers) sigaddset(&signals, number);
  return signals;
}

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
