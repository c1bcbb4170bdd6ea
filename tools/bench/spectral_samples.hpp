// The common part of bench_spectral's halves: raw samples as CSV rows, and the papers' sizes.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "fugu/spectral/characters.hpp"

namespace fugu::bench {

class SpectralSamples {
 public:
  // `stamp` fills the first columns of every row: machine,date,commit,command.
  explicit SpectralSamples(std::string stamp) : stamp_(std::move(stamp)) {
    std::printf("machine,date,commit,command,what,variant,n,sample,microseconds,floor_microseconds\n");
  }

  // `floor`: 0 where there is none.
  void add(const std::string& what, const std::string& variant, int n, std::size_t sample,
           double microseconds, double floor) const {
    std::printf("%s,%s,%s,%d,%zu,%.3f,%.3f\n", stamp_.c_str(), what.c_str(), variant.c_str(), n, sample,
                microseconds, floor);
  }

 private:
  std::string stamp_;
};

inline constexpr int kConvolutionSizes[] = {4, 8, 10, 16, 18, 20, 23, 24, 25};  // Table 2 of the paper

inline spectral::CharacterGroup group_3(int m) {
  return spectral::CharacterGroup(std::vector<std::uint32_t>(static_cast<std::size_t>(m), 3u));
}

void bench_spectral_cpu(const SpectralSamples& samples);

}  // namespace fugu::bench
