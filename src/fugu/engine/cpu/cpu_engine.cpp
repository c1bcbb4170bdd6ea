#include "fugu/engine/cpu/cpu_engine.hpp"

#include <algorithm>
#include <vector>

#include "fugu/threads/processors.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::engine::cpu {
namespace {

// Smaller pieces cost more in waking threads and converting tables than a second core gains.
constexpr std::size_t kMinPieceBlocks = 32 * 1024 / core::kBlockBytes;
// Pieces a thread gets on average, so that one slow thread delays the call by a fraction of its share.
constexpr std::size_t kPiecesPerThread = 4;
constexpr std::size_t kChunkBytesPerThread = std::size_t{1} << 20;
constexpr std::size_t kMinChunkBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxChunkBytes = std::size_t{16} << 20;

Piece piece_of(Op op, const Segment& segment, std::size_t first, std::size_t blocks) {
  const std::byte* in = segment.in.data() + first * core::kBlockBytes;
  std::uint64_t chain = segment.iv;
  if (op == Op::ctr) {
    chain += segment.first_block + first;
  } else if (first != 0) {
    chain = core::load_u64_big(in - core::kBlockBytes);
  }
  return {segment.schedule, chain,          in, segment.out.data() + first * core::kBlockBytes, blocks,
          segment.words,    segment.counter};
}

// Reads every chaining block at a cut now: in place, a thread may overwrite it before its neighbour starts.
std::vector<Piece> cut(Op op, std::span<const Segment> segments, std::size_t piece_blocks) {
  std::vector<Piece> pieces;
  for (const Segment& segment : segments) {
    const std::size_t blocks = segment.in.size() / core::kBlockBytes;
    for (std::size_t first = 0; first < blocks; first += piece_blocks) {
      pieces.push_back(piece_of(op, segment, first, std::min(piece_blocks, blocks - first)));
    }
  }
  return pieces;
}

class CpuEngine final : public Engine {
 public:
  CpuEngine(std::string_view name, Kernel kernel, unsigned threads)
      : name_(name), kernel_(kernel), pool_(threads != 0 ? threads : threads::usable_processors()) {}

  std::string_view name() const noexcept override { return name_; }

  void run(Op op, std::span<const Segment> segments) override {
    check_segments(op, segments);
    std::size_t blocks = 0;
    for (const Segment& segment : segments) blocks += segment.in.size() / core::kBlockBytes;
    const std::vector<Piece> pieces = cut(op, segments, piece_blocks(blocks));
    const auto run_one = [&](std::size_t i) { kernel_(op, pieces[i]); };
    if (blocks <= kMinPieceBlocks) {
      for (std::size_t i = 0; i < pieces.size(); ++i) run_one(i);
    } else {
      pool_.for_each(pieces.size(), run_one);
    }
  }

  void for_each(std::size_t count, const std::function<void(std::size_t)>& turn) override {
    pool_.for_each(count, turn);
  }

  std::size_t preferred_chunk_bytes() const noexcept override {
    return std::clamp(pool_.threads() * kChunkBytesPerThread, kMinChunkBytes, kMaxChunkBytes);
  }

 private:
  std::size_t piece_blocks(std::size_t blocks) const {
    if (pool_.threads() == 1) return std::max<std::size_t>(blocks, 1);
    const std::size_t share = blocks / (pool_.threads() * kPiecesPerThread) + 1;
    return std::max((share + 255) / 256 * 256, kMinPieceBlocks);  // whole groups of every kernel
  }

  std::string_view name_;
  Kernel kernel_;
  threads::ThreadPool pool_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(std::string_view name, Kernel kernel, unsigned threads) {
  return std::make_unique<CpuEngine>(name, kernel, threads);
}

}  // namespace fugu::engine::cpu
