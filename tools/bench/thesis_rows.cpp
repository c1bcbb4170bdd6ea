// The runs of the 2009 thesis. A size is a number of the thesis's thread-blocks, each of 4 KiB of data. Every
// run has a fresh key and fresh random data; every output is poisoned before it is written and compared in
// full with OpenSSL's after. tools/report prints the tables.
#include <cstring>

#include "bench.hpp"
#include "fugu/engine/registry.hpp"
#include "measure/gpu.hpp"
#include "thesis_kernel.hpp"

namespace fugu::bench {
namespace {

using kernels::BlowfishShape;

constexpr int kThreadBlocks[] = {1, 25, 50, 100, 500, 1000, 2000, 4000, 8000, 16000, 32000, 65535};
constexpr int kRuns = 10;
constexpr std::size_t kMaxBytes = 65535 * kThesisThreadBlockBytes;
constexpr Operation kEcb{mode::Mode::ecb, core::Direction::encrypt};

std::string best_cpu_engine() {
  const auto engines = engine::list();
  return std::ranges::find_if(engines,
                              [](const auto& e) { return e.available && e.name.starts_with("cpu/"); })
      ->name;
}

// This project's kernel between pinned memory and the device, one step after the other.
class KernelSteps {
 public:
  BlowfishShape shape() const { return default_shape(context_.info()); }

  StepSeconds run(const BlowfishShape& shape, const cipher::Schedule& schedule, std::span<const std::byte> in,
                  std::span<std::byte> out) {
    StepSeconds seconds{};
    device::Buffer<std::byte> plain, cipher;
    device::Buffer<std::uint32_t> words;
    seconds.allocation = lap([&] {
      plain = device::Buffer<std::byte>(stream_, in.size());
      cipher = device::Buffer<std::byte>(stream_, out.size());
      words = device::Buffer<std::uint32_t>(stream_, kernels::kScheduleWords);
    });
    seconds.to_device = lap([&] {
      device::copy_to_device(plain.span(), in, stream_);
      device::copy_to_device(words.span().subspan(0, core::kSubkeys), schedule.p, stream_);
      device::copy_to_device(words.span().subspan(core::kSubkeys, 1024), std::span(&schedule.s[0][0], 1024),
                             stream_);
    });
    kernels::BlowfishArguments arguments{};
    arguments.segments[0] = {plain.data(), cipher.data(), words.data(), in.size() / 8, 0, 0};
    arguments.segment_count = 1;
    seconds.kernel = kernel_seconds(core::Op::ecb_encrypt, arguments, shape, stream_, begin_, end_);
    seconds.to_host = lap([&] { device::copy_to_host(out, cipher.span(), stream_); });
    return seconds;
  }

 private:
  template <class Step>
  double lap(Step step) {
    return wall_seconds([&] {
      step();
      stream_.synchronize();
    });
  }

  device::Context context_{0};
  device::Stream stream_{context_};
  device::Event begin_{context_, device::EventKind::timing};
  device::Event end_{context_, device::EventKind::timing};
};

class Thesis {
 public:
  explicit Thesis(Bench& bench) : bench_(bench) {}

  void run(int thread_blocks) {
    thread_blocks_ = thread_blocks;
    for (int i = 0; i < kRuns; ++i) {
      CaseMaker maker(bench_.pool);
      run_once(maker.make(kEcb, static_cast<std::size_t>(thread_blocks) * kThesisThreadBlockBytes));
    }
    std::ranges::move(rows_, std::back_inserter(bench_.sampler.rows));
    rows_.clear();
  }

 private:
  void run_once(const Case& c) {
    const auto ordinary = memory_.first(c.input.size());
    const auto pinned_in = pinned_in_.span().first(c.input.size());
    const auto pinned = pinned_out_.span().first(c.input.size());
    const unsigned all = bench_.pool.threads();
    for (ThreadPool* workers : {&bench_.one, &bench_.pool})
      time(c, openssl_name(), workers->threads(), "host memory",
           openssl_trial(c, ordinary, bench_.pool, *workers));
    steps(c, "thesis corrected", "host memory", ordinary,
          [&] { return run_thesis_2009(c.schedule, c.input, ordinary); });
    copy_bytes(c.input, pinned_in, bench_.pool);
    BlowfishShape shape = kernel_.shape();
    for (const char* variant : {"fugu kernel", "fugu kernel as many thread-blocks"}) {
      steps(c, variant, "pinned host memory", pinned,
            [&] { return kernel_.run(shape, c.schedule, pinned_in, pinned); });
      shape.thread_blocks = thread_blocks_;
    }
    time_engine(c, *one_core_, 1, "host memory", ordinary);
    time_engine(c, *all_cores_, all, "host memory", ordinary);
    time_engine(c, *gpu_, 0, "host memory", ordinary);
    time_engine(c, *gpu_, 0, "pinned host memory", pinned);
  }

  // No sample is discarded: the first run of a size counts as well.
  void time(const Case& c, const std::string& engine, unsigned threads, const char* place,
            const Trial& trial) {
    trial.spoil();
    const double seconds = trial.run();
    trial.check();
    add(c, engine, threads, "whole", place, seconds);
  }

  void time_engine(const Case& c, engine::Engine& engine, unsigned threads, const char* place,
                   std::span<std::byte> memory) {
    time(c, std::string(engine.name()), threads, place, engine_trial(c, memory, bench_.pool, engine));
  }

  template <class Run>
  void steps(const Case& c, const char* variant, const char* place, std::span<std::byte> out, Run run) {
    std::memset(out.data(), 0xa5, out.size());
    const StepSeconds seconds = run();
    require_same(c.expected, out, bench_.pool);
    add(c, variant, 0, "allocation", place, seconds.allocation);
    add(c, variant, 0, "to device", place, seconds.to_device);
    add(c, variant, 0, "kernel", place, seconds.kernel);
    add(c, variant, 0, "to host", place, seconds.to_host);
  }

  void add(const Case& c, const std::string& engine, unsigned threads, const char* step, const char* place,
           double seconds) {
    auto row = std::ranges::find_if(rows_, [&](const Row& r) {
      return r.engine == engine && r.threads == threads && r.direction == step && r.place == place;
    });
    if (row == rows_.end()) {
      rows_.push_back({Scope::thesis, engine, threads, "ecb", step, place, c.input.size(), thread_blocks_,
                       static_cast<int>(kThesisThreads)});
      row = rows_.end() - 1;
    }
    row->samples.push_back({seconds, 0});
  }

  Bench& bench_;
  Bytes memory_{kMaxBytes};
  KernelSteps kernel_;
  std::unique_ptr<engine::Engine> one_core_ = engine::make(best_cpu_engine(), {.threads = 1});
  std::unique_ptr<engine::Engine> all_cores_ = engine::make(best_cpu_engine());
  std::unique_ptr<engine::Engine> gpu_ = engine::make("cuda:0");
  engine::Chunk pinned_in_ = gpu_->allocate(kMaxBytes);
  engine::Chunk pinned_out_ = gpu_->allocate(kMaxBytes);
  int thread_blocks_ = 0;
  std::vector<Row> rows_;  // of one size
};

}  // namespace

std::vector<BenchRow> thesis_rows() {
  return {{Scope::thesis, "tables", [](Bench& bench) {
             Thesis thesis(bench);
             for (const int thread_blocks : kThreadBlocks) thesis.run(thread_blocks);
           }}};
}

}  // namespace fugu::bench
