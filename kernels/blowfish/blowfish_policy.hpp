// The layout of Blowfish launches on a device, chosen from its attributes. Each row cites its measurement.
#pragma once

#include "kernels/blowfish/blowfish_launch.hpp"

namespace fugu::kernels {

// S-boxes in shared memory: word w of the copy that lane l reads lies in bank l, so no look-up ever
// conflicts.
inline constexpr std::size_t kReplicatedTableBytes = 4 * 256 * 4 * 32;
inline constexpr std::size_t kSingleTableBytes = 4 * 256 * 4;

constexpr std::size_t table_bytes(const BlowfishShape& shape) {
  return shape.replicated ? kReplicatedTableBytes : kSingleTableBytes;
}

// H200 (132 multiprocessors, 1.98 GHz), ECB encryption of 2 GiB, GB/s, medians of gpu_sweep_h200.csv (this
// and the files below: tools/bench/results and its history):
//   thread-blocks  132: 937    264: 933   1056: 905    66: 474
//   threads       1024: 937    768: 929    512: 878   256: 640
//   blocks          4: 937       2: 928      8: 715 (512 threads, and registers spill)
//   prefetch      932, within the spread: not used
//
// One copy of the tables: 319. Of the 64 look-ups 2, 3, 4, 5, 6 through the texture path instead: 941, 945,
// 941, 939, 856 beside 941 without (gpu_texture_h200.csv at 25ce3044): it reads the same memory banks, and
// each of its look-ups causes a bank conflict of the others. The bound of the replicated variant
// (gpu_counters_h200.csv there) is the pipe to shared memory, which is busy in 98 % of all cycles. 64
// look-ups and 4 wavefronts of loads and stores per warp of blocks allow 984 GB/s; conflicts between look-ups
// and arriving data (1.5 %) and idle cycles (2 %) leave 940. The ALU is at 76 %, the multiplier at 23 %,
// issue at 74 %. Bulk copies (cp.async.bulk) would not save the 4 wavefronts: threads would still read and
// write the data in shared memory, and the copies would add wavefronts of their own.
constexpr BlowfishShape choose_shape(int multiprocessors, std::size_t shared_bytes_per_block,
                                     int max_threads_per_block) {
  if (shared_bytes_per_block >= kReplicatedTableBytes && max_threads_per_block >= 1024)
    return {true, 2, false, 1024, multiprocessors};
  // Conflicts bound this variant, not threads: of two thread-blocks of 512, one works while the other
  // reloads.
  return {false, 2, false, 512, 2 * multiprocessors};
}

}  // namespace fugu::kernels
