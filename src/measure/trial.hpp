// A measurement, and the only loop that measures: spoil the output, time the work, check the output and the
// time. A time is always that of one stretch of work, never the difference of two.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "measure/result.hpp"

namespace fugu::cli::bench {

class Trial {
 public:
  virtual ~Trial() = default;

  // Not timed: leaves nothing in the output that a run could be credited with.
  virtual void spoil() = 0;

  // Timed by itself, in seconds.
  virtual double run() = 0;

  // Not timed: throws Error{mismatch} unless all of the output is right.
  virtual void check() = 0;

  // Shorter times are impossible; 0 if no bound is known.
  virtual double floor_seconds() const { return 0; }
};

// `count` samples after one run that is checked but discarded. Throws Error{mismatch} for a wrong output,
// Error{engine} for a time below the floor; both name `what`.
std::vector<Sample> take_samples(Trial& trial, std::string_view what, int count);

// The wall-clock seconds of `work`.
template <class Work>
double wall_seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace fugu::cli::bench
