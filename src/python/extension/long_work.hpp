// Work without the GIL, and what Ctrl-C does to it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <stop_token>

namespace fugu::python {

namespace nb = nanobind;

// More values than this take long enough to start a thread for.
inline constexpr std::uint64_t kShortValues = std::uint64_t{1} << 18;

using Work = std::function<void(std::stop_token)>;

// Runs `work` on a thread of its own while the caller, who holds the GIL, gives it up and looks for signals.
// If a signal's handler raises, the work is asked to stop and waited for, and that exception comes out.
// Rethrows what the work throws.
void run_long(const Work& work);

// The same on the calling thread, for work of less than some milliseconds.
void run_short(const Work& work);

inline void run(std::uint64_t values, const Work& work) {
  values > kShortValues ? run_long(work) : run_short(work);
}

}  // namespace fugu::python
