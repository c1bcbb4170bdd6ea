#include "measure/trial.hpp"

#include <sys/resource.h>

#include "fugu/error.hpp"
#include "measure/guard.hpp"

namespace fugu::cli::bench {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// CPU time of this process and of its children that have ended.
double cpu_seconds() {
  double seconds = 0;
  for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(whose, &usage);
    seconds += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  }
  return seconds;
}

Sample take_sample(Trial& trial) {
  trial.spoil();
  const double cpu_before = cpu_seconds();
  const double seconds = trial.run();
  const Sample sample{seconds, cpu_seconds() - cpu_before};
  trial.check();
  require_possible(sample.seconds, trial.floor_seconds());
  return sample;
}

}  // namespace

std::vector<Sample> take_samples(Trial& trial, std::string_view what, int count) {
  std::vector<Sample> samples;
  try {
    static_cast<void>(take_sample(trial));
    for (int i = 0; i < count; ++i) samples.push_back(take_sample(trial));
  } catch (Error& error) {
    error.add_context(what);
    throw;
  }
  return samples;
}

}  // namespace fugu::cli::bench
