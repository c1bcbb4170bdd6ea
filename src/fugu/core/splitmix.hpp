// The generator of random boxes and keys from a seed. Not for secrets.
#pragma once

#include <cstdint>

namespace fugu::core {

// splitmix64 (Steele, Lea and Flood 2014): 64-bit state and outputs.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_;
};

}  // namespace fugu::core
