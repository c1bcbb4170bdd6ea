// The results as tables for people, as JSON with every sample, and as CSV with one sample per row.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measure/trial.hpp"

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

struct Report {
  Machine machine;
  std::string command;
  std::vector<Row> rows;
};

std::string as_text(const Report& report);
std::string as_json(const Report& report);
std::string as_csv(const Report& report);  // RFC 4180, with a header line; lines end in \n

}  // namespace fugu::cli::bench
