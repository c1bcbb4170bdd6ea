// The GPU program of J. A. Feist, "Increasing performance of blowfish encryption using CUDA" (University of
// Louisville, 2009), as its text describes it, with its faults corrected.
#pragma once

#include <cstddef>
#include <span>

#include "fugu/cipher/schedule.hpp"

namespace fugu::bench {

inline constexpr std::size_t kThesisThreads = 512;                          // a thread-block
inline constexpr std::size_t kThesisThreadBlockBytes = 8 * kThesisThreads;  // one block per thread

// The steps of one run, each waited for before the next begins.
struct StepSeconds {
  double allocation;  // device memory for both arrays and the tables
  double to_device;   // plaintext, the array for the ciphertext, P-array, S-boxes
  double kernel;
  double to_host;  // ciphertext
};

// ECB-encrypts `in`, a multiple of kThesisThreadBlockBytes, into `out` of the same size. Throws
// std::runtime_error.
StepSeconds run_thesis_2009(const cipher::Schedule& schedule, std::span<const std::byte> in,
                            std::span<std::byte> out);

}  // namespace fugu::bench
