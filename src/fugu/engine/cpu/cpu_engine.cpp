#include "fugu/engine/cpu/kernels.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "fugu/platform/system.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::engine::cpu {
namespace {

// Smaller pieces cost more in waking threads and converting tables than a second core gains.
constexpr std::size_t kMinPieceBlocks = 32 * 1024 / core::kBlockBytes;
// The average number of pieces per thread, so that one slow thread delays the call by a fraction of its
// share.
constexpr std::size_t kPiecesPerThread = 4;
constexpr std::size_t kChunkBytes = std::size_t{4} << 20;

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

// A segment in pieces, which threads take in order once it is admitted.
class CutSegment {
 public:
  // Reads every chaining block at a cut now: in place, a thread may overwrite it before its neighbour starts.
  // An empty segment is one empty piece.
  void cut(Op op, const Segment& segment, std::size_t piece_blocks) {
    const std::size_t blocks = segment.in.size() / core::kBlockBytes;
    std::size_t first = 0;
    do {
      pieces_.push_back(piece_of(op, segment, first, std::min(piece_blocks, blocks - first)));
      first += piece_blocks;
    } while (first < blocks);
    left_ = pieces_.size();
  }

  std::size_t pieces() const { return pieces_.size(); }

  // Returns the result of `before`: the first caller calls it, the others wait.
  template <class Before>
  bool admits(Before before) {
    State unasked = State::unasked;
    if (state_.compare_exchange_strong(unasked, State::asked)) ask(before);
    state_.wait(State::asked);
    return state_ == State::admitted;
  }

  // Processes pieces until none are left; returns true to the caller that finished the last one.
  bool work(Op op, Kernel kernel) {
    bool whole = false;
    for (std::size_t i; (i = next_++) < pieces_.size();) {
      kernel(op, pieces_[i]);
      whole = --left_ == 0;
    }
    return whole;
  }

 private:
  enum class State : std::uint8_t { unasked, asked, admitted, refused };

  template <class Before>
  void ask(Before before) {
    try {
      answer(before() ? State::admitted : State::refused);
    } catch (...) {
      answer(State::refused);
      throw;
    }
  }

  void answer(State state) {
    state_ = state;
    state_.notify_all();
  }

  std::vector<Piece> pieces_;
  std::atomic<State> state_ = State::unasked;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> left_ = 0;  // not ended
};

class CpuEngine final : public Engine {
 public:
  CpuEngine(std::string_view name, Kernel kernel, unsigned threads)
      : name_(name), kernel_(kernel), pool_(threads != 0 ? threads : platform::usable_processors()) {}

  std::string_view name() const noexcept override { return name_; }

  void run(Op op, std::span<const Segment> segments) override { run_with(op, segments, {}); }

  void run_with(Op op, std::span<const Segment> segments, const SegmentHooks& hooks) override {
    check_segments(op, segments);
    std::size_t blocks = 0;
    for (const Segment& segment : segments) blocks += segment.in.size() / core::kBlockBytes;
    std::vector<CutSegment> rows(segments.size());
    std::size_t pieces = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].cut(op, segments[i], piece_blocks(blocks));
      pieces += rows[i].pieces();
    }
    const auto take = [&](std::size_t i) {
      const bool admitted = rows[i].admits([&] { return !hooks.before || hooks.before(i); });
      if (admitted && rows[i].work(op, kernel_) && hooks.after) hooks.after(i);
    };
    // Each thread begins at a different segment, so that a segment's pieces meet in one core's cache, and
    // helps with the others in the end.
    const std::size_t threads =
        blocks <= kMinPieceBlocks ? 1 : std::min<std::size_t>(threads_of_call(), pieces);
    pool_.for_each(threads, [&](std::size_t thread) {
      const std::size_t begin = thread * rows.size() / threads;
      for (std::size_t i = 0; i < rows.size(); ++i) take((begin + i) % rows.size());
    });
  }

  std::size_t preferred_chunk_bytes() const noexcept override { return kChunkBytes; }

  unsigned threads() const noexcept override { return pool_.threads(); }

 private:
  // A call may use these.
  unsigned threads_of_call() const { return threads::ThreadPool::in_shared_turn() ? 1 : pool_.threads(); }

  std::size_t piece_blocks(std::size_t blocks) const {
    const unsigned threads = threads_of_call();
    if (threads == 1) return std::max<std::size_t>(blocks, 1);
    const std::size_t share = blocks / (threads * kPiecesPerThread) + 1;
    return std::max((share + 255) / 256 * 256, kMinPieceBlocks);  // a multiple of every kernel's group
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
