// How a call is cut into slices, each of which is copied to a device, processed there and copied back as one.
//
// Plain arithmetic over segments, so that it is tested without a GPU. Every chaining block at a cut is read
// here, before anything runs: in place, the preceding slice may overwrite it.
#pragma once

#include <vector>

#include "fugu/engine/engine.hpp"

namespace fugu::engine::cuda {

// A run of one segment inside a slice.
struct SegmentRun {
  const Segment* segment;
  const std::byte* in;
  std::byte* out;
  std::size_t bytes;
  std::uint64_t chain;       // ctr: the counter of its first block; cbc, cfb: the ciphertext before it
  std::size_t slice_offset;  // its offset in the slice, a multiple of 16
};

struct Slice {
  std::vector<SegmentRun> pieces;  // one word order, one counter order
  std::size_t bytes = 0;           // up to the end of the last piece
};

// Slices hold up to `slice_bytes` (a multiple of 16) and up to `max_pieces` pieces; none is empty.
std::vector<Slice> plan_slices(Op op, std::span<const Segment> segments, std::size_t slice_bytes,
                               std::size_t max_pieces);

}  // namespace fugu::engine::cuda
