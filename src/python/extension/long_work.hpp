// Work without the GIL that Ctrl-C can interrupt.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "fugu/error.hpp"

namespace fugu::python {

namespace nb = nanobind;

// More values than this take long enough to justify a thread.
inline constexpr std::uint64_t kShortValues = std::uint64_t{1} << 18;

using Work = std::function<void(std::stop_token)>;

// Runs `work` on a thread of its own while the caller, who holds the GIL, releases it, checks for signals and
// calls the callback of fugu.progress(). If a signal's handler or the callback raises, the work gets a stop
// request and is waited for, and that exception is thrown. Rethrows what the work throws.
void run_long(const Work& work);

// The same on the calling thread, for work of less than some milliseconds.
void run_short(const Work& work);

// For the thread of run_long(), before `total` steps, 0 if unknown, that take so many seconds: what counts
// them for the callback. Empty without one, and for short work; 0 seconds: not known, so that only what
// takes long is shown. Any thread may count.
std::function<void(std::uint64_t)> begin_steps(std::string what, std::uint64_t total, double seconds);

// Throws Error{interrupted} after a stop request.
inline void throw_if_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Error(Errc::interrupted, "interrupted");
}

// A callback that calls begin_steps() with the number of steps that it is given, and without an estimate.
inline auto counted(std::string what) {
  return [what = std::move(what)](std::uint64_t total) { return begin_steps(what, total, 0); };
}

inline void run(std::uint64_t values, const Work& work) {
  values > kShortValues ? run_long(work) : run_short(work);
}

// The result of compute(stop).
template <class Compute>
auto result_of(std::uint64_t values, Compute compute) {
  std::optional<decltype(compute(std::stop_token{}))> result;
  run(values, [&](const std::stop_token& stop) { result.emplace(compute(stop)); });
  return std::move(*result);
}

}  // namespace fugu::python
