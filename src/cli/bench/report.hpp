// The results as tables for people, as JSON with every sample, and as CSV with one sample per row.
#pragma once

#include <string>
#include <vector>

#include "cli/bench/machine.hpp"
#include "measure/result.hpp"

namespace fugu::cli::bench {

struct Report {
  Machine machine;
  std::string command;
  std::vector<Row> rows;
};

std::string as_text(const Report& report);
std::string as_json(const Report& report);
std::string as_csv(const Report& report);  // RFC 4180, with a header line; lines end in \n

}  // namespace fugu::cli::bench
