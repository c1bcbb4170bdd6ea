// Calls a kernel on the calling thread.

#include <functional>

#include "fugu/engine/cpu/kernels.hpp"

namespace fugu::engine {
namespace {

// Calls beyond the L1 cache gain nothing.
constexpr std::size_t kPreferredChunkBytes = std::size_t{64} << 10;

bool is_disjoint(const Segment& segment) {
  const std::byte* const in = segment.in.data();
  const std::byte* const out = segment.out.data();
  return std::less_equal<>()(in + segment.in.size(), out) ||
         std::less_equal<>()(out + segment.out.size(), in);
}

// The single segment of most calls is checked without a list of extents.
bool is_plainly_right(std::span<const Segment> segments) {
  if (segments.size() != 1) return false;
  const Segment& segment = segments.front();
  return segment.schedule != nullptr && segment.in.size() == segment.out.size() &&
         segment.in.size() % core::kBlockBytes == 0 &&
         (segment.in.data() == segment.out.data() || is_disjoint(segment));
}

class LocalEngine final : public Engine {
 public:
  std::string_view name() const noexcept override { return "cpu/local"; }

  void run(Op op, std::span<const Segment> segments) override {
    if (op > Op::cfb_decrypt || !is_plainly_right(segments)) check_segments(op, segments);
    for (const Segment& segment : segments) {
      const std::uint64_t chain = op == Op::ctr ? segment.iv + segment.first_block : segment.iv;
      kernel_(op, {segment.schedule, chain, segment.in.data(), segment.out.data(),
                   segment.in.size() / core::kBlockBytes, segment.words, segment.counter});
    }
  }

  std::size_t preferred_chunk_bytes() const noexcept override { return kPreferredChunkBytes; }

 private:
  const cpu::Kernel kernel_ = cpu::best_kernel(core::detect_cpu_features());
};

}  // namespace

Engine& local_engine() noexcept {
  static LocalEngine engine;
  return engine;
}

}  // namespace fugu::engine
