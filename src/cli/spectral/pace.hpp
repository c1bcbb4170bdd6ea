// What `--engine auto` decides by for the nonlinearity of long functions: how long whole runs took on this
// machine, on either engine. The runs themselves measure this, and keep it for later ones.
#pragma once

#include <cstdint>
#include <string>

namespace fugu::cli {

class NonlinearityPace {
 public:
  // Starts without measurements; an empty `path` keeps none.
  NonlinearityPace(std::string path, unsigned threads);

  // For all of a run's functions, `values` in total.
  bool gpu_is_faster(std::uint64_t values, int variables) const;

  // Record how long a run took after the reading of the input, which a GPU's start may overlap: the rest of
  // the start included. Short runs are ignored. Failing to save is not an error.
  void keep_cpu(std::uint64_t values, int variables, double seconds);
  void keep_gpu(std::uint64_t values, double seconds);

 private:
  void load();
  void save() const;

  std::string path_;
  unsigned threads_;
  double cpu_step_seconds_;   // per value and stage, on all threads
  double gpu_start_seconds_;  // the rest of the start, after the reading
};

}  // namespace fugu::cli
