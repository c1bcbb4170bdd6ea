// Kernels, launch shapes and links, measured with the code of `fugu bench`.
#include "gpu_kernel.hpp"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

#include "measure/case.hpp"
#include "measure/kernel.hpp"
#include "measure/link.hpp"

namespace fugu::bench {
namespace {

using cli::bench::Case;
using cli::bench::CaseMaker;
using cli::bench::Into;
using cli::bench::KernelSession;
using cli::bench::KernelTrial;
using cli::bench::LinkTrial;
using cli::bench::Sample;
using cli::bench::ThreadPool;
using cli::bench::Way;
using cli::bench::Work;
using core::Direction;
using kernels::BlowfishShape;
using mode::Mode;

struct NamedWork {
  Work work;
  const char* name;
};
constexpr NamedWork kWorks[] = {{{Mode::ecb, Direction::encrypt}, "ecb_encrypt"},
                                {{Mode::ecb, Direction::decrypt}, "ecb_decrypt"},
                                {{Mode::ctr, Direction::encrypt}, "ctr"},
                                {{Mode::cbc, Direction::decrypt}, "cbc_decrypt"},
                                {{Mode::cfb64, Direction::decrypt}, "cfb_decrypt"}};

std::string shape_text(const BlowfishShape& shape) {
  return std::string(shape.replicated ? "replicated" : "single") + " " + std::to_string(shape.thread_blocks) +
         "x" + std::to_string(shape.threads_per_block) + "x" + std::to_string(2 * shape.vectors) +
         (shape.prefetch ? " prefetch" : "");
}

std::vector<double> seconds_of(const std::vector<Sample>& samples) {
  std::vector<double> seconds;
  for (const Sample& sample : samples) seconds.push_back(sample.seconds);
  return seconds;
}

struct Bench {
  explicit Bench(std::uint64_t bytes) : session(0, bytes, maker.schedule()) {}

  Case load(const Work& work, std::uint64_t bytes) {
    const Case c = maker.make(work, bytes);
    session.load(c.input, pool);
    return c;
  }

  std::vector<double> time(const Case& c, const BlowfishShape& shape, Into into, int count) {
    KernelTrial trial(c, session, shape, pool, into);
    return seconds_of(take_samples(trial, shape_text(shape), count));
  }

  ThreadPool pool{std::thread::hardware_concurrency()};
  CaseMaker maker{pool};
  KernelSession session;
};

std::vector<BlowfishShape> shapes_to_sweep(int sms) {
  std::vector<BlowfishShape> shapes;
  for (const int vectors : {1, 2, 4})
    for (const int threads : {256, 512, 768, 1024})
      for (const int blocks : {sms / 2, sms, 2 * sms, 8 * sms})
        if (vectors < 4 || threads <= 512) shapes.push_back({true, vectors, false, threads, blocks});
  for (const int threads : {512, 768, 1024}) shapes.push_back({true, 2, true, threads, sms});
  shapes.push_back({false, 2, false, 512, 2 * sms});  // one copy of the tables
  return shapes;
}

}  // namespace

void bench_kernels(Samples& samples, std::uint64_t bytes, int count) {
  Bench bench(bytes);
  const BlowfishShape shape = bench.session.default_shape();
  for (const NamedWork& work : kWorks) {
    const Case c = bench.load(work.work, bytes);
    for (const Into into : {Into::output, Into::input})
      samples.add("kernel", std::string(work.name) + (into == Into::input ? " in place" : ""),
                  shape_text(shape), bytes, bench.time(c, shape, into, count));
  }
}

void bench_sweep(Samples& samples, std::uint64_t bytes, int count) {
  Bench bench(bytes);
  const Case c = bench.load(kWorks[0].work, bytes);
  for (const BlowfishShape& shape : shapes_to_sweep(bench.session.device().multiprocessors))
    samples.add("sweep", kWorks[0].name, shape_text(shape), bytes, bench.time(c, shape, Into::output, count));
}

void bench_one_kernel(const std::string& name, std::uint64_t bytes) {
  constexpr int kLaunches = 4;
  cipher::Schedule schedule;
  cipher::expand(std::vector<std::byte>(16, std::byte{0x5c}), schedule);
  KernelSession session(0, bytes, schedule);
  const BlowfishShape shape = session.default_shape();
  // Counter mode over zeros: data without a pattern.
  session.run(core::Op::ctr, shape, 1, bytes, Into::input);
  for (const NamedWork& work : kWorks)
    for (int i = 0; name == work.name && i < kLaunches; ++i)
      session.run(*kernel_op(work.work), shape, 0, bytes);
}

void bench_link(Samples& samples, std::uint64_t bytes, int count) {
  LinkTrial trial(0, bytes);
  for (const Way way : {Way::host_to_device, Way::device_to_host, Way::both, Way::on_device}) {
    trial.choose(way);
    samples.add("link", name_of(way), "", bytes, seconds_of(take_samples(trial, "link", count)));
  }
}

void bench_link_all(Samples& samples, std::uint64_t bytes, int count) {
  std::vector<std::unique_ptr<LinkTrial>> links;
  for (const device::DeviceInfo& info : device::inventory().devices)
    links.push_back(std::make_unique<LinkTrial>(info.index, bytes));
  std::vector<double> seconds;
  for (int i = -1; i < count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    for (const auto& link : links) link->start();
    for (const auto& link : links) link->finish();
    const auto end = std::chrono::steady_clock::now();
    if (i >= 0) seconds.push_back(std::chrono::duration<double>(end - begin).count());
  }
  samples.add("link", std::to_string(links.size()) + " gpus both each way", "", bytes * links.size(),
              seconds);
}

}  // namespace fugu::bench
