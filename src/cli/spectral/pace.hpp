// What `--engine auto` goes by for the nonlinearity of long functions: how long whole runs took on this
// machine, on either engine. Measured by the runs themselves, and kept for later ones.
#pragma once

#include <cstdint>
#include <string>

namespace fugu::cli {

class NonlinearityPace {
 public:
  // Of a machine where nothing was measured yet, or nothing can be kept (`path` empty).
  NonlinearityPace(std::string path, unsigned threads);

  // For all of a run's functions, `values` in all.
  bool gpu_is_faster(std::uint64_t values, int variables) const;

  // Keep what a run took: the GPU's start included, the reading of the input left out. Short runs tell
  // nothing. A failure to keep it is no failure of the work.
  void keep_cpu(std::uint64_t values, int variables, double seconds);
  void keep_gpu(std::uint64_t values, double seconds);

 private:
  void load();
  void save() const;

  std::string path_;
  unsigned threads_;
  double cpu_step_seconds_;   // of one value in one stage, on all threads
  double gpu_start_seconds_;  // until the first value is there
};

}  // namespace fugu::cli
