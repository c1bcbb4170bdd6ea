#include "fugu/engine/engine.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "fugu/core/wipe.hpp"
#include "fugu/engine/cpu/kernels.hpp"
#include "fugu/engine/detail/between_hooks.hpp"
#include "fugu/error.hpp"
#include "fugu/platform/system.hpp"

namespace fugu::engine {
namespace {

std::align_val_t chunk_alignment(std::size_t bytes) {
  return std::align_val_t{bytes < platform::kHugePageBytes ? 64 : platform::kHugePageBytes};
}

void free_host_chunk(std::byte* data, std::size_t bytes, void*) noexcept {
  core::wipe_touched(data, bytes);
  ::operator delete[](data, chunk_alignment(bytes));
}

// A range of addresses that a call reads or writes.
struct Extent {
  std::uintptr_t begin;
  std::uintptr_t end;
  bool written;
};

Extent extent_of(std::span<const std::byte> memory, bool written) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  return {begin, begin + memory.size(), written};
}

// One sweep over the extents by address: nothing written may overlap anything else.
void check_overlap(std::vector<Extent>& extents) {
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  std::uintptr_t any_end = 0;
  std::uintptr_t written_end = 0;
  for (const Extent& extent : extents) {
    if (extent.begin < (extent.written ? any_end : written_end))
      throw Error(Errc::usage, "an output overlaps other memory of the call");
    any_end = std::max(any_end, extent.end);
    if (extent.written) written_end = std::max(written_end, extent.end);
  }
}

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

Chunk::Chunk(Chunk&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      free_(other.free_) {}

Chunk& Chunk::operator=(Chunk&& other) noexcept {
  Chunk taken(std::move(other));  // frees the memory held before
  std::swap(data_, taken.data_);
  std::swap(bytes_, taken.bytes_);
  std::swap(free_, taken.free_);
  return *this;
}

Chunk::~Chunk() {
  if (data_ != nullptr) free_.function(data_, bytes_, free_.context);
}

Chunk allocate_host_chunk(std::size_t bytes) {
  auto* data = static_cast<std::byte*>(::operator new[](bytes, chunk_alignment(bytes)));
  // A hint: with pages of 4 KiB the first use of 16 MiB takes 4096 page faults.
  if (bytes >= platform::kHugePageBytes) platform::use_huge_pages(data, bytes);
  return Chunk(data, bytes, {free_host_chunk, nullptr});
}

void check_segments(Op op, std::span<const Segment> segments) {
  if (op > Op::cfb_decrypt) throw Error(Errc::usage, "no such operation");
  std::vector<Extent> extents;
  extents.reserve(2 * segments.size());
  for (const Segment& segment : segments) {
    if (segment.schedule == nullptr) throw Error(Errc::usage, "a segment has no key schedule");
    if (segment.in.size() != segment.out.size()) throw Error(Errc::usage, "input and output differ in size");
    if (segment.in.size() % core::kBlockBytes != 0)
      throw Error(Errc::usage, "a segment is not a multiple of 8 bytes");
    if (segment.in.empty()) continue;
    if (segment.in.data() != segment.out.data()) extents.push_back(extent_of(segment.in, false));
    extents.push_back(extent_of(segment.out, true));
  }
  check_overlap(extents);
}

void run_between_hooks(Engine& engine, Op op, std::span<const Segment> segments, const SegmentHooks& hooks,
                       const ForEach& for_each) {
  check_segments(op, segments);
  std::vector<std::uint8_t> taken(segments.size(), 1);
  if (hooks.before) for_each(segments.size(), [&](std::size_t i) { taken[i] = hooks.before(i) ? 1 : 0; });
  std::vector<Segment> run_of;
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (taken[i] != 0) run_of.push_back(segments[i]);
  engine.run(op, run_of);
  if (!hooks.after) return;
  for_each(segments.size(), [&](std::size_t i) {
    if (taken[i] != 0) hooks.after(i);
  });
}

void Engine::run_with(Op op, std::span<const Segment> segments, const SegmentHooks& hooks) {
  run_between_hooks(*this, op, segments, hooks, [](std::size_t count, const auto& turn) {
    for (std::size_t i = 0; i < count; ++i) turn(i);
  });
}

Engine& local_engine() noexcept {
  static LocalEngine engine;
  return engine;
}

}  // namespace fugu::engine
