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

// H200 (132 multiprocessors, 1.98 GHz), ECB encryption of 2 GiB, GB/s, from
// tools/bench/results/gpu_sweep_h200.csv:
//   thread-blocks  132: 940     264: 937   1056: 910    66: 475     one a multiprocessor; more reload tables
//   threads       1024: 940     768: 938    512: 912   256: 681     more warps cover more latency
//   blocks          4: 940        2: 928      8: 658 (512 threads, spilled)
//   prefetch       941, within the spread of 940: left out
// One copy of the tables: 320. 2 to 6 of the 64 look-ups through the texture path: 941, 945, 942, 939, 856;
// it reads the same memory banks, and every look-up it takes comes back as a bank conflict of the others.
// What bounds the replicated variant: the pipe to shared memory is busy in 98 % of all cycles. 64 look-ups
// and 4 wavefronts of loads and stores a warp allow 984 at most; 1.5 % conflicts between look-ups and
// arriving data and 2 % idle cycles make it 943. The ALU is at 76 %, the multiplier at 23 %, issue slots at
// 74 %.
constexpr BlowfishShape choose_shape(int multiprocessors, std::size_t shared_bytes_per_block,
                                     int max_threads_per_block) {
  if (shared_bytes_per_block >= kReplicatedTableBytes && max_threads_per_block >= 1024)
    return {true, 2, false, 1024, multiprocessors};
  // Conflicts bound this variant, not threads: two thread-blocks of 512 hide a reload behind the other's
  // work.
  return {false, 2, false, 512, 2 * multiprocessors};
}

}  // namespace fugu::kernels
