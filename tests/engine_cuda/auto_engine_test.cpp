// The decisions of `auto`, with made-up engines, rates and clock, so that no GPU is needed and no busy
// machine changes its choices.
#include "fugu/engine/cuda/auto_engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "support/no_threads.hpp"
#include "support/pattern.hpp"

namespace fugu::engine::cuda {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// A clock that moves only when engines pretend to work.
class FakeClock {
 public:
  Clock::time_point now() const { return Clock::time_point(Clock::duration(ticks_.load())); }
  void pass(double seconds) {
    ticks_ += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)).count();
  }

 private:
  std::atomic<Clock::rep> ticks_ = 0;
};

struct Counts {
  std::atomic<int> calls = 0;
  std::atomic<int> measured = 0;
  std::atomic<int> at_work = 0;
  std::atomic<bool> overlapped = false;
  std::atomic<int> pinned = 0;
  std::atomic<int> unpinned = 0;
  std::atomic<bool> broken = false;
  std::atomic<bool> all_is_pinned = true;
};

constexpr double kOrdinaryIsSlower = 20;
constexpr std::size_t kOfCpu = 4096, kOfGpu = 8192;  // bytes per call that they prefer
constexpr unsigned kCpuThreads = 4;

// An engine that lets the given time pass and does nothing.
class Pretender final : public PinningEngine {
 public:
  Pretender(std::string name, double bytes_per_second, Counts& counts, FakeClock& clock)
      : name_(std::move(name)), bytes_per_second_(bytes_per_second), counts_(counts), clock_(clock) {}

  std::string_view name() const noexcept override { return name_; }
  void run(Op, std::span<const Segment> segments) override {
    ++counts_.calls;
    if (counts_.broken) throw Error(Errc::engine, "broken");
    if (++counts_.at_work > 1) counts_.overlapped = true;
    for (const Segment& segment : segments)
      clock_.pass(static_cast<double>(segment.in.size()) / bytes_per_second_);
    --counts_.at_work;
  }

  // Takes so long that work which should wait would overlap with it.
  Pace measure(CallMemory memory) {
    run(Op::ctr, {});
    ++counts_.measured;
    ++counts_.at_work;
    std::this_thread::sleep_for(milliseconds(2));
    --counts_.at_work;
    return {0, memory == CallMemory::engine ? bytes_per_second_ : bytes_per_second_ / kOrdinaryIsSlower};
  }
  std::size_t preferred_chunk_bytes() const noexcept override { return name_ == "gpu" ? kOfGpu : kOfCpu; }
  unsigned threads() const noexcept override { return kCpuThreads; }
  void pin(std::span<std::byte>) override { ++counts_.pinned; }
  void unpin(std::span<std::byte>) noexcept override { ++counts_.unpinned; }
  bool has_pinned(std::span<const Segment>) const override { return counts_.all_is_pinned; }

 private:
  std::string name_;
  double bytes_per_second_;
  Counts& counts_;
  FakeClock& clock_;
};

constexpr std::size_t kLong = std::size_t{64} << 20;
constexpr double kSlow = 20e9;
constexpr double kFast = 200e9;

class Auto : public testing::Test {
 protected:
  std::unique_ptr<Engine> make_auto(double cpu, double gpu) {
    AutoSettings settings;
    settings.start = [this, gpu] {
      ++starts_;
      return Started{std::make_unique<Pretender>("gpu", gpu, gpu_, clock_), "a pretended gpu"};
    };
    settings.note = [this](std::string_view text) { notes_ += text; };
    settings.cpu_threads = 1;
    settings.patience_seconds = 0.2;
    settings.worth_seconds = worth_seconds_;
    settings.pace_seconds = pace_seconds_;
    settings.calibration_path = path_;
    settings.now = [this] { return clock_.now(); };
    settings.measure = [this](Engine& engine, Op, CallMemory memory, const std::stop_token& stop) {
      measuring_ = true;
      while (measures_until_stopped_ && !stop.stop_requested()) std::this_thread::yield();
      return dynamic_cast<Pretender&>(engine).measure(memory);
    };
    return make_auto_engine(std::make_unique<Pretender>("cpu", cpu, cpu_, clock_), settings);
  }

  void run(Engine& engine, std::size_t bytes) {
    Segment segment;
    segment.schedule = &schedule_;
    segment.in = {memory_.get(), bytes};
    segment.out = {memory_.get(), bytes};
    engine.run(Op::ctr, {&segment, 1});
  }

  // Waits until the start has ended in either way. Another thread does the start, at its own speed.
  template <class Done>
  void run_until(Engine& engine, const Done& done) {
    const auto give_up = Clock::now() + std::chrono::minutes(1);
    while (!done() && Clock::now() < give_up) run(engine, kLong);
  }

  void wait_for_a_start() const {
    const auto give_up = Clock::now() + std::chrono::minutes(1);
    while (starts_ == 0 && Clock::now() < give_up) std::this_thread::yield();
  }

  FakeClock clock_;
  Counts cpu_;
  Counts gpu_;
  std::atomic<bool> measures_until_stopped_ = false;
  std::atomic<bool> measuring_ = false;
  std::atomic<int> starts_ = 0;
  std::string notes_;
  std::string path_;
  double worth_seconds_ = 1e9;
  double pace_seconds_ = 0;
  cipher::Schedule schedule_;
  // The memory is never touched, so none of its pages is allocated.
  static constexpr std::size_t kMemoryBytes = std::size_t{1} << 30;
  std::unique_ptr<std::byte[]> memory_ = std::make_unique_for_overwrite<std::byte[]>(kMemoryBytes);
};

// The end of an engine waits for a start.
TEST_F(Auto, small_work_never_starts_a_gpu) {
  auto engine = make_auto(kSlow, kFast);
  for (int i = 0; i < 10; ++i) run(*engine, 96);
  engine.reset();
  EXPECT_EQ(starts_, 0);
  EXPECT_EQ(cpu_.calls, 10);
}

// The file inside a longer container is empty.
TEST_F(Auto, no_work_never_starts_a_gpu) {
  worth_seconds_ = 0.02;
  auto engine = make_auto(kSlow, kFast);
  engine->expect(150);
  run(*engine, 0);
  engine.reset();
  EXPECT_EQ(starts_, 0);
}

TEST_F(Auto, work_that_waits_for_something_else_never_starts_a_gpu) {
  auto engine = make_auto(kSlow, kFast);
  for (int i = 0; i < 100; ++i) {
    run(*engine, kLong);  // 3 ms
    clock_.pass(0.015);
  }
  engine.reset();
  EXPECT_EQ(starts_, 0);
}

TEST_F(Auto, one_long_call_starts_a_gpu_in_its_midst) {
  worth_seconds_ = 0.01;
  const auto engine = make_auto(kSlow, kFast);
  run(*engine, std::size_t{128} << 20);
  EXPECT_EQ(starts_, 0) << "a call of one part leaves no rest to save";
  run(*engine, std::size_t{1} << 30);  // 54 ms, in two parts
  wait_for_a_start();
  EXPECT_EQ(starts_, 1);
}

TEST_F(Auto, a_long_file_that_was_announced_starts_a_gpu_at_once) {
  worth_seconds_ = 0.02;
  const auto engine = make_auto(kSlow, kFast);
  engine->expect(2 * kLong);
  run(*engine, kLong);  // 3 ms, and as much to come
  EXPECT_EQ(starts_, 0);
  engine->expect(20 * kLong);
  run(*engine, kLong);
  wait_for_a_start();
  EXPECT_EQ(starts_, 1);
}

TEST_F(Auto, the_first_call_of_a_long_file_does_not_tell_its_pace) {
  worth_seconds_ = 0.02;
  pace_seconds_ = 0.005;
  for (const int calls : {1, 2}) {
    auto engine = make_auto(kSlow, kFast);
    engine->expect(20 * kLong);
    for (int i = 0; i < calls; ++i) run(*engine, kLong);  // 3 ms
    engine.reset();
    EXPECT_EQ(starts_, calls - 1);
  }
}

TEST_F(Auto, a_long_file_that_waits_for_something_else_never_starts_a_gpu) {
  worth_seconds_ = 0.02;
  pace_seconds_ = 0.005;
  auto engine = make_auto(kSlow, kFast);
  engine->expect(100 * kLong);
  for (int i = 0; i < 20; ++i) {
    run(*engine, kLong);  // 3 ms
    clock_.pass(0.015);
  }
  engine.reset();
  EXPECT_EQ(starts_, 0);
}

// From the start on, calls take real time, so that the GPU comes before the last.
TEST_F(Auto, the_calls_that_a_faster_gpu_prefers_are_preferred_once_it_is_there) {
  worth_seconds_ = 0.02;
  const auto engine = make_auto(kSlow, kFast);
  constexpr std::size_t kCalls = 20'000;
  std::size_t left = kCalls;
  int slow_calls = 0;
  engine->expect(kCalls * kLong);
  for (; left != 0 && engine->preferred_chunk_bytes() == kOfCpu; --left) {
    run(*engine, kLong);
    if (starts_ != 0 && ++slow_calls < 500) std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(starts_, 1);
  EXPECT_NE(left, 0u);
  EXPECT_EQ(engine->preferred_chunk_bytes(), kOfGpu);
  const int before = gpu_.calls;
  run(*engine, kLong);
  EXPECT_EQ(gpu_.calls, before + 1);
}

TEST_F(Auto, a_slower_gpu_changes_no_preference) {
  const auto engine = make_auto(kFast, kSlow);
  run_until(*engine, [&] { return gpu_.measured != 0; });
  EXPECT_EQ(engine->preferred_chunk_bytes(), kOfCpu);
}

// Of four threads' time, four calls beside each other take a quarter each.
TEST_F(Auto, calls_in_the_turns_of_threads_count_as_one_threads) {
  worth_seconds_ = 0.02;
  for (const unsigned threads : {kCpuThreads, 1u}) {
    auto engine = make_auto(kSlow, kFast);
    engine->expect(1000 * kLong);
    threads::ThreadPool(threads).for_each(50, [&](std::size_t) { run(*engine, kLong); });
    engine.reset();
    EXPECT_EQ(starts_, threads == 1 ? 1 : 0);
  }
}

// A calibration measures the CPU with all threads, while those that call wait for it to end.
TEST_F(Auto, a_calibration_beside_the_calls_of_many_threads_ends) {
  Counts gpu;
  std::atomic<int> measured = 0;
  AutoSettings settings;
  settings.cpu_threads = 4;
  settings.pace_seconds = 0;
  settings.worth_seconds = 0;
  const auto run_own = [this](Engine& engine, std::size_t bytes) {
    test::Bytes own(bytes);
    engine.run(Op::ctr, std::vector<Segment>{{.schedule = &schedule_, .in = own, .out = own}});
  };
  settings.start = [&] { return Started{std::make_unique<Pretender>("gpu", kFast, gpu, clock_), "a gpu"}; };
  settings.measure = [&](Engine& engine, Op, CallMemory, const std::stop_token&) {
    run_own(engine, std::size_t{1} << 20);
    ++measured;
    return Pace{0, engine.name() == "gpu" ? kFast : kSlow};
  };
  auto engine = make_auto_engine(make("cpu/scalar", {4, {}}), settings);
  constexpr std::size_t kTurns = 20'000;
  constexpr std::size_t kBytes = std::size_t{64} << 10;
  engine->expect(kTurns * kBytes);
  std::atomic<std::size_t> done = 0;
  threads::ThreadPool(4).for_each(kTurns, [&](std::size_t) {
    if (engine->preferred_chunk_bytes() == kOfGpu) return;
    run_own(*engine, kBytes);
    ++done;
  });
  EXPECT_LT(done, kTurns);
  EXPECT_EQ(measured, 15);
}

TEST_F(Auto, a_start_that_gets_no_thread_is_a_note_and_no_failure) {
  worth_seconds_ = 0;
  const auto engine = make_auto(kSlow, kFast);
  engine->expect(20 * kLong);
  {
    const test::NoThreads none;
    EXPECT_NO_THROW(run(*engine, kLong));
  }
  EXPECT_EQ(cpu_.calls, 1);
  run(*engine, 96);
  EXPECT_TRUE(notes_.starts_with("the gpu is left out: no thread")) << notes_;
  EXPECT_EQ(starts_, 0);
}

TEST_F(Auto, a_gpu_that_fails_later_is_an_error_and_nothing_falls_back) {
  const auto engine = make_auto(kSlow, kFast);
  const Chunk chunk = engine->allocate(4096);
  run_until(*engine, [&] { return gpu_.pinned == 1; });
  gpu_.broken = true;
  const int cpu_calls = cpu_.calls;
  EXPECT_THROW(run(*engine, kLong), Error);
  EXPECT_EQ(cpu_.calls, cpu_calls);
}

TEST_F(Auto, long_work_moves_to_the_faster_gpu_and_pins_its_chunks) {
  const auto engine = make_auto(kSlow, kFast);
  {
    const Chunk early = engine->allocate(4096);
    // The calibration makes its own calls: the engine has moved when a long run leaves the CPU alone.
    const auto moved = [&] {
      const int before = cpu_.calls;
      run(*engine, kLong);
      return starts_ == 1 && gpu_.pinned >= 1 && cpu_.calls == before;
    };
    run_until(*engine, moved);
    EXPECT_EQ(gpu_.pinned, 1);
    const Chunk late = engine->allocate(4096);
    EXPECT_EQ(gpu_.pinned, 2);
  }
  EXPECT_EQ(gpu_.unpinned, 2);
  EXPECT_EQ(starts_, 1);
  EXPECT_EQ(notes_, "");
}

TEST_F(Auto, stays_on_a_cpu_that_is_faster) {
  const auto engine = make_auto(kFast, kSlow);
  const Chunk chunk = engine->allocate(4096);
  run_until(*engine, [&] { return gpu_.pinned == 1; });
  const int gpu_calls = gpu_.calls;
  run(*engine, kLong);
  EXPECT_EQ(gpu_.calls, gpu_calls);
}

// The CPU does 20 GB/s; the GPU does 200 from pinned memory and 10 from other memory.
TEST_F(Auto, leaves_ordinary_memory_to_a_cpu_that_is_faster_there) {
  const auto engine = make_auto(kSlow, kFast);
  const Chunk chunk = engine->allocate(4096);
  run_until(*engine, [&] { return gpu_.pinned == 1; });
  for (const bool pinned : {true, false, true}) {
    gpu_.all_is_pinned = pinned;
    const int gpu_calls = gpu_.calls;
    run(*engine, kLong);
    EXPECT_EQ(gpu_.calls, gpu_calls + (pinned ? 1 : 0));
  }
}

TEST_F(Auto, leaves_out_a_gpu_that_cannot_start_with_one_note) {
  gpu_.broken = true;
  const auto engine = make_auto(kSlow, kFast);
  run_until(*engine, [&] { return !notes_.empty(); });
  EXPECT_NE(notes_.find("broken"), std::string::npos) << notes_;
  const std::string noted = notes_;
  for (int i = 0; i < 3; ++i) run(*engine, kLong);
  EXPECT_EQ(notes_, noted);
  EXPECT_EQ(starts_, 1);
}

TEST_F(Auto, measures_the_cpu_while_it_does_nothing_else) {
  const auto engine = make_auto(kSlow, kFast);
  const Chunk chunk = engine->allocate(4096);
  run_until(*engine, [&] { return gpu_.pinned == 1; });
  EXPECT_EQ(gpu_.pinned, 1);
  EXPECT_FALSE(cpu_.overlapped);
}

TEST_F(Auto, keeps_what_it_measured) {
  path_ = testing::TempDir() + "fugu_auto_calibration";
  std::filesystem::remove(path_);
  for (int life = 0; life < 2; ++life) {
    const auto engine = make_auto(kSlow, kFast);
    const Chunk chunk = engine->allocate(4096);
    run_until(*engine, [&] { return gpu_.pinned == life + 1; });
    // The first life measures five operations from two kinds of memory; the second only lets the GPU prove
    // that it runs.
    EXPECT_EQ(gpu_.measured, life == 0 ? 10 : 11);
  }
  EXPECT_TRUE(std::filesystem::exists(path_));
  std::filesystem::remove(path_);
}

TEST_F(Auto, keeps_nothing_of_a_calibration_that_its_end_cuts_short) {
  path_ = testing::TempDir() + "fugu_auto_cut_short";
  std::filesystem::remove(path_);
  {
    measures_until_stopped_ = true;
    const auto engine = make_auto(kSlow, kFast);
    run_until(*engine, [&] { return measuring_.load(); });
  }
  EXPECT_EQ(gpu_.measured, 2) << "one operation";
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace fugu::engine::cuda
