#include "fugu/engine/cuda/plan.hpp"

#include <algorithm>

namespace fugu::engine::cuda {
namespace {

constexpr std::size_t kAlignment = 16;  // that the kernels' loads and stores need

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint64_t chain_at(Op op, const Segment& segment, std::size_t offset_bytes) {
  if (op == Op::ctr) return segment.iv + segment.first_block + offset_bytes / core::kBlockBytes;
  if (offset_bytes == 0) return segment.iv;
  return core::load_u64_big(segment.in.data() + offset_bytes - core::kBlockBytes);
}

class Planner {
 public:
  Planner(Op op, std::size_t slice_bytes, std::size_t max_pieces)
      : op_(op), slice_bytes_(slice_bytes), max_pieces_(max_pieces) {}

  void add(const Segment& segment) {
    for (std::size_t offset = 0; offset < segment.in.size();) {
      if (is_full_for(segment)) slices_.emplace_back();
      Slice& slice = slices_.back();
      const std::size_t at = aligned(slice.bytes);
      const std::size_t bytes = std::min(segment.in.size() - offset, slice_bytes_ - at);
      slice.pieces.push_back({&segment, segment.in.data() + offset, segment.out.data() + offset, bytes,
                              chain_at(op_, segment, offset), at});
      slice.bytes = at + bytes;
      offset += bytes;
    }
  }

  std::vector<Slice> take() { return std::move(slices_); }

 private:
  bool is_full_for(const Segment& segment) const {
    if (slices_.empty()) return true;
    const Slice& slice = slices_.back();
    if (aligned(slice.bytes) >= slice_bytes_ || slice.pieces.size() == max_pieces_) return true;
    const Segment& other = *slice.pieces.back().segment;
    return other.words != segment.words || other.counter != segment.counter;
  }

  Op op_;
  std::size_t slice_bytes_;
  std::size_t max_pieces_;
  std::vector<Slice> slices_;
};

}  // namespace

std::vector<Slice> plan_slices(Op op, std::span<const Segment> segments, std::size_t slice_bytes,
                               std::size_t max_pieces) {
  Planner planner(op, slice_bytes, max_pieces);
  for (const Segment& segment : segments) planner.add(segment);
  return planner.take();
}

}  // namespace fugu::engine::cuda
