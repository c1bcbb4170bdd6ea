// The host's interface to the kernels: plain structs, and functions that queue work on a stream.
//
// Free of CUDA headers, so that engines and tests include it anywhere. A launch_ function allocates nothing,
// does not wait, and returns CUDA's status as an int (0: queued).
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/core/block.hpp"

struct CUstream_st;  // what cudaStream_t points to

namespace fugu::kernels {

inline constexpr int kScheduleWords = 18 + 4 * 256;  // P-array, then S-boxes
inline constexpr int kMaxSegments = 64;              // limited by the kernel parameters

// One run of whole blocks under one key.
struct BlowfishSegment {
  const std::byte* in;  // device memory, 16-byte aligned
  std::byte* out;       // device memory, 16-byte aligned; identical to `in` or disjoint from all `in`
  const std::uint32_t* schedule;  // device memory, kScheduleWords words; equal pointers mean equal keys
  std::uint64_t blocks;
  std::uint64_t
      chain;  // ctr: the counter of block 0; cbc, cfb: memory image of the ciphertext block before in[0]
  std::uint64_t first_unit;  // set by the launcher
};

struct BlowfishArguments {
  BlowfishSegment segments[kMaxSegments];
  int segment_count;
  bool little_counter;   // ctr: how the counter lies in memory
  std::uint64_t units;   // set by the launcher
  std::uint64_t* chain;  // cbc, cfb: device scratch, one entry per thread-block
};

// The layout of a launch; blowfish_policy.hpp chooses it from a device's attributes.
struct BlowfishShape {
  bool replicated;        // one copy of the S-boxes per bank (128 KiB of shared memory) instead of one
  int vectors;            // 16-byte vectors, two blocks each, that a thread processes at a time
  bool prefetch;          // loads the next vectors before processing the current ones
  int threads_per_block;  // a multiple of 32
  int thread_blocks;
};

// The blocks that a warp processes at a time: the unit in which work is distributed to thread-blocks and
// warps.
constexpr std::uint64_t unit_blocks(const BlowfishShape& shape) {
  return 64u * static_cast<std::uint64_t>(shape.vectors);
}

// Fills in first_unit and units.
constexpr void lay_out(BlowfishArguments& arguments, const BlowfishShape& shape) {
  const std::uint64_t unit = unit_blocks(shape);
  arguments.units = 0;
  for (int i = 0; i < arguments.segment_count; ++i) {
    arguments.segments[i].first_unit = arguments.units;
    arguments.units += (arguments.segments[i].blocks + unit - 1) / unit;
  }
}

// Loads the kernel and raises its shared-memory limit on the current device: before its first launch there.
int prepare_blowfish(core::Op op, core::ByteOrder words, const BlowfishShape& shape) noexcept;

// Runs `op` over the segments. Without segments or blocks nothing is queued.
int launch_blowfish(core::Op op, core::ByteOrder words, BlowfishArguments arguments,
                    const BlowfishShape& shape, CUstream_st* stream) noexcept;

}  // namespace fugu::kernels
