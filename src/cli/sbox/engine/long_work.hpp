// Long work: prints an estimate, and shows progress.
#pragma once

#include <cstdint>
#include <string>

#include "cli/process/progress.hpp"

namespace fugu::cli {

// "about 2 min"
std::string estimate_text(double seconds);

class LongWork {
 public:
  // `total` units of `unit`, which any thread may count off. An estimate above 10 s is printed first.
  LongWork(const Arguments& arguments, const std::string& what, std::uint64_t total, double seconds,
           std::string_view unit);

  void advance(std::uint64_t count) { progress_.counters().bytes_read += count; }

 private:
  Progress progress_;
};

}  // namespace fugu::cli
