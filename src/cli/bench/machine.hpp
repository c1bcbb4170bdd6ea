// The machine block: the context needed to read a figure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measure/result.hpp"

namespace fugu::cli::bench {

struct Machine {
  std::string cpu;
  unsigned processors = 0;        // that this process may run on
  std::vector<std::string> gpus;  // those that were measured
  std::string driver;             // the CUDA version it offers; empty: none
  std::string link;               // its rates in this run; empty: no GPU was measured
  std::vector<std::pair<std::string, std::string>> libraries;  // name, version
  std::string commit;                                          // of the build
  std::string date;                                            // of the run, UTC

  // "16 x Intel(R) Xeon(R) Processor; NVIDIA H200"
  std::string name() const;
};

// `link`: the rows of measure_link(), if any.
Machine describe_machine(const std::vector<Row>& rows, const std::vector<Row>& link);

}  // namespace fugu::cli::bench
