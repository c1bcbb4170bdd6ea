#include "fugu/engine/cuda/auto_engine.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "fugu/error.hpp"

namespace fugu::engine::cuda {
namespace {

class AutoEngine final : public Engine {
 public:
  AutoEngine(std::unique_ptr<Engine> cpu, AutoSettings settings)
      : cpu_(std::move(cpu)), settings_(std::move(settings)) {}

  // The work that the thread may be at takes at most the start and the calibration.
  ~AutoEngine() override = default;

  std::string_view name() const noexcept override { return "auto"; }

  void run(Op op, std::span<const Segment> segments) override {
    std::uint64_t bytes = 0;
    for (const Segment& segment : segments) bytes += segment.in.size();
    choose(op, bytes).run(op, segments);
  }

  Chunk allocate(std::size_t bytes) override {
    Chunk host = allocate_host_chunk(bytes);
    auto held = std::make_unique<Held>(Held{this, std::move(host)});
    const std::scoped_lock lock(mutex_);
    held_.push_back(held.get());
    if (gpu_) pin(held->memory.span());
    std::byte* data = held->memory.data();
    return Chunk(data, bytes, {free_held, held.release()});
  }

  void for_each(std::size_t count, const std::function<void(std::size_t)>& turn) override {
    cpu_->for_each(count, turn);
  }

  std::size_t preferred_chunk_bytes() const noexcept override {
    return std::max(cpu_->preferred_chunk_bytes(), kChunkBytes);
  }

 private:
  // What a GPU needs to overlap its copies; the format layer bounds the ring of them.
  static constexpr std::size_t kChunkBytes = std::size_t{32} << 20;

  struct Held {
    AutoEngine* owner;
    Chunk memory;
  };

  static void free_held(std::byte*, std::size_t, void* context) noexcept {
    const std::unique_ptr<Held> held(static_cast<Held*>(context));
    AutoEngine& owner = *held->owner;
    const std::scoped_lock lock(owner.mutex_);
    std::erase(owner.held_, held.get());
    if (owner.gpu_) owner.gpu_->unpin(held->memory.span());
  }

  Engine& choose(Op op, std::uint64_t bytes) {
    std::string note;
    Engine* chosen = cpu_.get();
    {
      const std::scoped_lock lock(mutex_);
      seen_bytes_ += bytes;
      if (!starting_ && settings_.start && seen_bytes_ > settings_.start_after_bytes) {
        starting_ = true;
        starter_ = std::jthread([this] { start(); });
      }
      note = std::exchange(note_, {});
      if (gpu_ && calibration_.gpu_is_faster(op, bytes)) chosen = gpu_.get();
    }
    if (!note.empty() && settings_.note) settings_.note(note);
    return *chosen;
  }

  void start() noexcept {
    try {
      const auto begin = std::chrono::steady_clock::now();
      Started started = settings_.start();
      if (!started.engine) return;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      Calibration calibration = calibrate(*started.engine, started.machine, seconds);
      const std::scoped_lock lock(mutex_);
      calibration_ = std::move(calibration);
      gpu_ = std::move(started.engine);
      for (const Held* held : held_) pin(held->memory.span());
    } catch (const std::exception& error) {
      const std::scoped_lock lock(mutex_);
      note_ = std::string("the gpu is left out: ") + error.what();
    }
  }

  // The first run of a GPU is part of its start: what it cannot do shows here, before any call depends on it.
  Calibration calibrate(Engine& gpu, const std::string& machine, double start_seconds) {
    const std::string both = calibration_machine(*cpu_, settings_.cpu_threads, machine);
    if (!settings_.calibration_path.empty()) {
      if (auto known = load_calibration(settings_.calibration_path, both)) {
        static_cast<void>(measure_pace(gpu, Op::ecb_encrypt));
        return *std::move(known);
      }
    }
    Calibration fresh;
    fresh.machine = both;
    fresh.gpu_start_seconds = start_seconds;
    for (std::size_t op = 0; op < kOpCount; ++op) {
      fresh.gpu[op] = measure_pace(gpu, static_cast<Op>(op));
      fresh.cpu[op] = measure_pace(*cpu_, static_cast<Op>(op));
    }
    if (!settings_.calibration_path.empty())
      static_cast<void>(save_calibration(settings_.calibration_path, fresh));
    return fresh;
  }

  // Memory that cannot be pinned is staged: slower, and right.
  void pin(std::span<std::byte> memory) noexcept {
    try {
      gpu_->pin(memory);
    } catch (const Error&) {
    }
  }

  std::unique_ptr<Engine> cpu_;
  AutoSettings settings_;
  std::mutex mutex_;  // guards what follows, up to the thread
  std::uint64_t seen_bytes_ = 0;
  bool starting_ = false;
  std::string note_;
  Calibration calibration_;
  std::vector<Held*> held_;
  std::unique_ptr<PinningEngine> gpu_;  // set once
  std::jthread starter_;                // last: joined before what it uses dies
};

}  // namespace

std::string calibration_machine(const Engine& cpu, unsigned cpu_threads, const std::string& gpu_machine) {
  const unsigned threads = cpu_threads != 0 ? cpu_threads : std::thread::hardware_concurrency();
  return std::string(cpu.name()) + " on " + std::to_string(threads) + " threads, " +
         (gpu_machine.empty() ? "no gpu" : gpu_machine);
}

std::unique_ptr<Engine> make_auto_engine(std::unique_ptr<Engine> cpu, AutoSettings settings) {
  return std::make_unique<AutoEngine>(std::move(cpu), std::move(settings));
}

}  // namespace fugu::engine::cuda
