// How a Blowfish launch is laid out on a device, chosen from its attributes. Each row cites its measurement.
#pragma once

#include <cstddef>

#include "kernels/launch.hpp"

namespace fugu::kernels {

// S-boxes in shared memory: word w of the copy that lane l reads lies in bank l, so no look-up ever
// conflicts.
inline constexpr std::size_t kReplicatedTableBytes = 4 * 256 * 4 * 32;
inline constexpr std::size_t kSingleTableBytes = 4 * 256 * 4;

constexpr std::size_t table_bytes(const BlowfishShape& shape) {
  return shape.replicated ? kReplicatedTableBytes : kSingleTableBytes;
}

constexpr BlowfishShape choose_shape(int multiprocessors, std::size_t shared_bytes_per_block,
                                     int max_threads_per_block) {
  if (shared_bytes_per_block >= kReplicatedTableBytes && max_threads_per_block >= 1024)
    return {true, 2, false, 1024, multiprocessors};
  // Conflicts bound this variant, not threads: two thread-blocks of 512 hide a reload behind the other's
  // work.
  return {false, 2, false, 512, 2 * multiprocessors};
}

}  // namespace fugu::kernels
