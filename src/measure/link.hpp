// The link between host memory and a GPU, which bounds every figure of the copy scope.
#pragma once

#include "measure/trial.hpp"

namespace fugu::cli::bench {

// Copies between pinned host memory and one GPU: one row per direction, and one of both at once. No cipher,
// so there is no output to check.
std::vector<Row> measure_link(int device_index, int runs);

// Bytes per second of the fastest sample in one direction.
double fastest_way(const std::vector<Row>& link);

// The least time in which `bytes` cross a link that has carried `fastest_bytes_per_second` in one direction.
// Since that is also a measurement, 5 % are allowed for its error.
double link_floor_seconds(double fastest_bytes_per_second, std::uint64_t bytes);

}  // namespace fugu::cli::bench
