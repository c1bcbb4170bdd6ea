// What the rows of the spectral module on CPU and GPU share.
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "fugu/spectral/groups/characters.hpp"

namespace fugu::bench {

inline constexpr int kConvolutionSizes[] = {4, 8, 10, 16, 18, 20, 23, 24, 25};  // Table 2 of the paper

inline spectral::CharacterGroup group_3(int m) {
  return spectral::CharacterGroup(std::vector<std::uint32_t>(static_cast<std::size_t>(m), 3u));
}

// "int32", "float64"
template <class T>
std::string type_name() {
  return (std::integral<T> ? "int" : "float") + std::to_string(8 * sizeof(T));
}

// NVIDIA's sample fastWalshTransform, compiled from a checkout of NVIDIA/cuda-samples: single precision, in
// place in device memory, on the default stream. Returns seconds, by events on that stream.
double cuda_samples_walsh(float* device_data, int n);

}  // namespace fugu::bench
