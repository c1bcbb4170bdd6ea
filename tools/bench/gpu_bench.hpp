// The common part of the GPU benchmarks: raw samples as CSV rows, and medians on the terminal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace fugu::bench {

// One row per sample, so that every figure can be recomputed: nothing is averaged before it is written.
class Samples {
 public:
  // `stamp` fills the first columns of every row: machine,date,commit,command.
  Samples(std::FILE* csv, std::string stamp) : csv_(csv), stamp_(std::move(stamp)) {
    std::fprintf(csv_, "machine,date,commit,command,scope,case,shape,bytes,sample,seconds,gb_per_s\n");
  }

  void add(const std::string& scope, const std::string& what, const std::string& shape, std::uint64_t bytes,
           const std::vector<double>& seconds) {
    std::vector<double> rates;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      rates.push_back(static_cast<double>(bytes) / seconds[i] * 1e-9);
      std::fprintf(csv_, "%s,%s,%s,%s,%llu,%zu,%.9f,%.3f\n", stamp_.c_str(), scope.c_str(), what.c_str(),
                   shape.c_str(), static_cast<unsigned long long>(bytes), i, seconds[i], rates.back());
    }
    std::fflush(csv_);
    std::sort(rates.begin(), rates.end());
    std::printf("%-8s %-22s %-22s %14llu B  median %9.3f GB/s  min %9.3f  max %9.3f  n=%zu  (%.6f s)\n",
                scope.c_str(), what.c_str(), shape.c_str(), static_cast<unsigned long long>(bytes),
                rates[rates.size() / 2], rates.front(), rates.back(), rates.size(),
                static_cast<double>(bytes) / rates[rates.size() / 2] * 1e-9);
    std::fflush(stdout);
  }

 private:
  std::FILE* csv_;
  std::string stamp_;
};

}  // namespace fugu::bench
