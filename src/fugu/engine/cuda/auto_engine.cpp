#include "fugu/engine/cuda/auto_engine.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "fugu/engine/cuda/plan.hpp"
#include "fugu/error.hpp"
#include "fugu/threads/processors.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::engine::cuda {
namespace {

// Shared or exclusive, in the order of requests: overlapping readers cannot starve a writer.
class FairSharedMutex {
 public:
  std::shared_lock<std::shared_mutex> shared() {
    const std::scoped_lock turn(queue_);
    return std::shared_lock(mutex_);
  }

  std::unique_lock<std::shared_mutex> exclusive() {
    const std::scoped_lock turn(queue_);
    return std::unique_lock(mutex_);
  }

 private:
  std::mutex queue_;
  std::shared_mutex mutex_;
};

unsigned number_of(unsigned cpu_threads) {
  return cpu_threads != 0 ? cpu_threads : threads::usable_processors();
}

class AutoEngine final : public Engine {
 public:
  AutoEngine(std::unique_ptr<Engine> cpu, AutoSettings settings)
      : cpu_(std::move(cpu)), settings_(std::move(settings)) {}

  std::string_view name() const noexcept override { return "auto"; }

  std::string ran_on() const override {
    const std::scoped_lock lock(mutex_);
    if (!gpu_used_) return std::string(cpu_->name());
    const std::string gpu(gpu_->name());
    return cpu_work_.bytes == 0 ? gpu : std::string(cpu_->name()) + " and " + gpu;
  }

  void run(Op op, std::span<const Segment> segments) override {
    run_parts(op, segments);
  }

  void run_parts(Op op, std::span<const Segment> segments) {
    check_segments(op, segments);
    std::uint64_t left = total_bytes(segments);
    if (left <= kPartBytes) return run_part(op, segments, {}, left, left);
    for (const Slice& part : plan_slices(op, segments, kPartBytes, kMaxPieces)) {
      const std::vector<Segment> pieces = segments_of(part);
      run_part(op, pieces, {}, part.bytes, left);
      left -= std::min<std::uint64_t>(left, part.bytes);
    }
  }

  void run_with(Op op, std::span<const Segment> segments, const SegmentHooks& hooks) override {
    check_segments(op, segments);
    const std::uint64_t bytes = total_bytes(segments);
    if (bytes > kPartBytes) return Engine::run_with(op, segments, hooks);
    run_part(op, segments, hooks, bytes, bytes);
  }

  Chunk allocate(std::size_t bytes) override {
    auto held = std::make_unique<Held>(Held{this, allocate_host_chunk(bytes)});
    std::byte* data = held->host.data();
    const std::scoped_lock lock(mutex_);
    held_.push_back(held.get());
    if (gpu_) pin(held->host.span());
    return Chunk(data, bytes, {free_held, held.release()});
  }

  void expect(std::uint64_t bytes) override {
    const std::scoped_lock lock(mutex_);
    expected_bytes_ = cpu_work_.bytes + bytes;
  }

  // The GPU's, once there is one that is faster at them.
  std::size_t preferred_chunk_bytes() const noexcept override {
    const std::scoped_lock lock(mutex_);
    const std::size_t of_gpu = gpu_ ? gpu_->preferred_chunk_bytes() : 0;
    if (calibration_.gpu_is_faster(Op::ctr, of_gpu, CallMemory::engine)) return of_gpu;
    return cpu_->preferred_chunk_bytes();
  }

  unsigned threads() const noexcept override { return cpu_->threads(); }

 private:
  // Long calls are processed in parts, so that a GPU that starts meanwhile can take the rest.
  static constexpr std::size_t kPartBytes = std::size_t{512} << 20;
  static constexpr std::size_t kMaxPieces = 4096;
  // Below this share the CPU waits for input and output, and a faster engine would too.
  static constexpr double kBusyShare = 0.5;

  using Clock = std::chrono::steady_clock;

  struct Held {
    AutoEngine* owner;
    Chunk host;
  };

  // The work done by the CPU engine.
  struct CpuWork {
    Clock::time_point begin;
    double busy_seconds = 0;
    std::uint64_t bytes = 0;
  };

  static std::uint64_t total_bytes(std::span<const Segment> segments) {
    std::uint64_t bytes = 0;
    for (const Segment& segment : segments) bytes += segment.in.size();
    return bytes;
  }

  static double seconds_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  static void free_held(std::byte*, std::size_t, void* context) noexcept {
    const std::unique_ptr<Held> held(static_cast<Held*>(context));
    held->owner->let_go(*held);
  }

  void let_go(const Held& held) {
    const std::scoped_lock lock(mutex_);
    std::erase(held_, &held);
    if (gpu_) gpu_->unpin(held.host.span());
  }

  static std::vector<Segment> segments_of(const Slice& part) {
    std::vector<Segment> segments;
    for (const Piece& piece : part.pieces) {
      Segment segment = *piece.segment;
      segment.iv = piece.chain;
      segment.first_block = 0;
      segment.in = {piece.in, piece.bytes};
      segment.out = {piece.out, piece.bytes};
      segments.push_back(segment);
    }
    return segments;
  }

  // `left`: bytes of the call from this part on.
  void run_part(Op op, std::span<const Segment> segments, const SegmentHooks& hooks, std::uint64_t bytes,
                std::uint64_t left) {
    say_note();
    if (Engine* gpu = faster_gpu(op, segments, bytes)) return gpu->run_with(op, segments, hooks);
    const auto use = cpu_use_.shared();
    const Clock::time_point begin = settings_.now();
    cpu_->run_with(op, segments, hooks);
    const Clock::time_point end = settings_.now();
    const unsigned beside = threads::ThreadPool::in_shared_turn() ? threads() : 1;  // calls of other threads
    consider_start({begin, seconds_between(begin, end) / beside, bytes}, end, left - std::min(left, bytes));
  }

  Engine* faster_gpu(Op op, std::span<const Segment> segments, std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto is_faster = [&](CallMemory memory) { return calibration_.gpu_is_faster(op, bytes, memory); };
    if (!gpu_ || !is_faster(CallMemory::engine)) return nullptr;
    if (!is_faster(CallMemory::ordinary) && !gpu_->has_pinned(segments)) return nullptr;
    gpu_used_ = true;
    return gpu_.get();
  }

  void say_note() {
    std::string note;
    {
      const std::scoped_lock lock(mutex_);
      note = std::exchange(note_, {});
    }
    if (!note.empty() && settings_.note) settings_.note(note);
  }

  void consider_start(const CpuWork& work, Clock::time_point now, std::uint64_t left_of_call) {
    const std::scoped_lock lock(mutex_);
    if (cpu_work_.bytes == 0) cpu_work_.begin = work.begin;
    cpu_work_.busy_seconds += work.busy_seconds;
    cpu_work_.bytes += work.bytes;
    if (starting_ || !settings_.start || !is_start_worth_it(now, left_of_call)) return;
    starting_ = true;
    begin_start();
  }

  // If no thread is available, the CPU has still done the work: not an error.
  void begin_start() {
    try {
      starter_ = std::jthread([this](const std::stop_token& stop) { start(stop); });
    } catch (const std::system_error& error) {
      note_ = std::string("the gpu is left out: no thread to start it on: ") + error.code().message();
    }
  }

  // Estimates by the pace so far, which includes reading and writing.
  bool is_start_worth_it(Clock::time_point now, std::uint64_t left_of_call) const {
    if (cpu_work_.bytes == 0) return false;  // no pace yet
    const double elapsed = seconds_between(cpu_work_.begin, now);
    if (elapsed < settings_.pace_seconds) return false;
    if (cpu_work_.busy_seconds < kBusyShare * elapsed) return false;
    if (cpu_work_.busy_seconds >= settings_.patience_seconds) return true;
    const std::uint64_t expected = expected_bytes_ - std::min(expected_bytes_, cpu_work_.bytes);
    const double left = static_cast<double>(std::max(expected, left_of_call));
    return left > 0 && left * elapsed >= settings_.worth_seconds * static_cast<double>(cpu_work_.bytes);
  }

  void start(const std::stop_token& stop) noexcept {
    try {
      const Clock::time_point begin = settings_.now();
      Started started = settings_.start();
      if (!started.engine || stop.stop_requested()) return;
      const double seconds = seconds_between(begin, settings_.now());
      Calibration calibration = calibrate(*started.engine, started.machine, seconds, stop);
      const std::scoped_lock lock(mutex_);
      calibration_ = std::move(calibration);
      gpu_ = std::move(started.engine);
      for (const Held* held : held_) pin(held->host.span());
    } catch (const std::exception& error) {
      const std::scoped_lock lock(mutex_);
      note_ = std::string("the gpu is left out: ") + error.what();
    }
  }

  // The first run of a GPU is part of its start: failures show here, before any call depends on it.
  Calibration calibrate(Engine& gpu, const std::string& machine, double start_seconds,
                        const std::stop_token& stop) {
    const std::string both = calibration_machine(*cpu_, settings_.cpu_threads, machine);
    if (!settings_.calibration_path.empty()) {
      if (auto known = load_calibration(settings_.calibration_path, both)) {
        static_cast<void>(settings_.measure(gpu, Op::ecb_encrypt, CallMemory::engine, stop));
        return *std::move(known);
      }
    }
    Calibration fresh;
    fresh.machine = both;
    fresh.gpu_start_seconds = start_seconds;
    for (std::size_t op = 0; op < kOpCount && !stop.stop_requested(); ++op) {
      fresh.gpu[op] = settings_.measure(gpu, static_cast<Op>(op), CallMemory::engine, stop);
      const auto use = cpu_use_.exclusive();  // beside other work the CPU would look slow for good
      fresh.gpu_ordinary[op] = settings_.measure(gpu, static_cast<Op>(op), CallMemory::ordinary, stop);
      fresh.cpu[op] = settings_.measure(*cpu_, static_cast<Op>(op), CallMemory::engine, stop);
    }
    // An interrupted calibration would keep later runs off the GPU for good.
    if (!settings_.calibration_path.empty() && !stop.stop_requested())
      static_cast<void>(save_calibration(settings_.calibration_path, fresh));
    return fresh;
  }

  // Memory that cannot be pinned is staged: slower, but correct.
  void pin(std::span<std::byte> memory) noexcept {
    try {
      gpu_->pin(memory);
    } catch (const Error&) {
    }
  }

  std::unique_ptr<Engine> cpu_;
  FairSharedMutex cpu_use_;
  AutoSettings settings_;
  mutable std::mutex mutex_;  // guards the members up to the thread
  CpuWork cpu_work_;
  std::uint64_t expected_bytes_ = 0;  // the limit of cpu_work_.bytes
  bool starting_ = false;
  std::string note_;
  Calibration calibration_;
  std::vector<Held*> held_;
  std::unique_ptr<PinningEngine> gpu_;  // set once
  bool gpu_used_ = false;
  // Last, so that it is stopped and joined before the members it uses die. That waits for a start, but not
  // for a calibration.
  std::jthread starter_;
};

}  // namespace

std::string calibration_machine(const Engine& cpu, unsigned cpu_threads, const std::string& gpu_machine) {
  return std::string(cpu.name()) + " on " + std::to_string(number_of(cpu_threads)) + " threads, " +
         (gpu_machine.empty() ? "no gpu" : gpu_machine);
}

std::unique_ptr<Engine> make_auto_engine(std::unique_ptr<Engine> cpu, AutoSettings settings) {
  return std::make_unique<AutoEngine>(std::move(cpu), std::move(settings));
}

}  // namespace fugu::engine::cuda
