#include "measure/trial.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "fugu/error.hpp"

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

Sample take_sample(const Trial& trial) {
  trial.spoil();
  const double cpu_before = cpu_seconds();
  const double seconds = trial.run();
  const Sample sample{seconds, cpu_seconds() - cpu_before};
  trial.check();
  require_possible(sample.seconds, trial.floor_seconds);
  return sample;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

Summary summarize(const Row& row) {
  std::vector<double> rates, cpu;
  for (const Sample& sample : row.samples) {
    rates.push_back(row.gb_per_s(sample));
    cpu.push_back(sample.cpu_seconds);
  }
  const auto [least, most] = std::ranges::minmax(rates);
  return {median(rates), least, most, median(cpu)};
}

void require_possible(double seconds, double floor_seconds) {
  if (seconds > 0 && seconds >= floor_seconds) return;
  throw Error(Errc::engine, std::to_string(1e6 * seconds) + " us is less than the " +
                                std::to_string(1e6 * floor_seconds) +
                                " us that the hardware needs at least: not all of the work was timed");
}

std::vector<Sample> take_samples(const Trial& trial, std::string_view what, int count) {
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

void Sampler::take(Row row, const Trial& trial) {
  const std::string what = row.engine + " " + row.mode + (row.direction.empty() ? "" : " ") + row.direction +
                           ", " + std::to_string(row.bytes) + " bytes";
  if (before) before(what);
  row.samples = take_samples(trial, what, runs);
  rows.push_back(std::move(row));
}

}  // namespace fugu::cli::bench
