// thesis_2009 CSV STAMP RUNS THREAD_BLOCKS...: the runs of the 2009 thesis, raw samples to CSV.
//
// A size is a number of the thesis's thread-blocks, each of 4 KiB of data. STAMP is
// "machine,date,commit,command". Every run has fresh random data; every output is poisoned before it is
// written and compared in full with OpenSSL's after. No time is a difference of two others.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "csv_file.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/engine/registry.hpp"
#include "kernels/blowfish/blowfish_launch.hpp"
#include "measure/kernel.hpp"
#include "peer.hpp"
#include "thesis_kernel.hpp"
#include "kernels/blowfish/blowfish_policy.hpp"

namespace fugu::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string best_cpu_engine() {
  for (const engine::EngineInfo& info : engine::list())
    if (info.available && info.name.starts_with("cpu/")) return info.name;
  throw std::runtime_error("no CPU engine");
}

Secrets random_secrets() {
  std::random_device random;
  Secrets secrets{};
  for (unsigned char& byte : secrets.key) byte = static_cast<unsigned char>(random());
  return secrets;
}

// This project's kernel between pinned memory and the device, one step after the other.
class KernelSteps {
 public:
  explicit KernelSteps(const cipher::Schedule& schedule) : schedule_(schedule) {}

  kernels::BlowfishShape shape() const {
    const device::DeviceInfo& info = context_.info();
    return kernels::choose_shape(info.multiprocessors, info.shared_bytes_per_block,
                                 info.max_threads_per_block);
  }

  StepSeconds run(const kernels::BlowfishShape& shape, std::span<const std::byte> in,
                  std::span<std::byte> out) {
    StepSeconds seconds{};
    auto start = Clock::now();
    const device::Buffer<std::byte> plain(stream_, in.size()), cipher(stream_, out.size());
    const device::Buffer<std::uint32_t> words(stream_, kernels::kScheduleWords);
    seconds.allocation = lap(start);
    device::copy_to_device(plain.span(), in, stream_);
    device::copy_to_device(words.span().subspan(0, core::kSubkeys), schedule_.p, stream_);
    device::copy_to_device(words.span().subspan(core::kSubkeys, 1024), std::span(&schedule_.s[0][0], 1024),
                           stream_);
    seconds.to_device = lap(start);
    seconds.kernel = time_kernel(shape, {plain.data(), cipher.data(), words.data(), in.size() / 8, 0, 0});
    start = Clock::now();
    device::copy_to_host(out, cipher.span(), stream_);
    seconds.to_host = lap(start);
    return seconds;
  }

 private:
  double lap(Clock::time_point& start) {
    stream_.synchronize();
    const double seconds = seconds_since(start);
    start = Clock::now();
    return seconds;
  }

  double time_kernel(const kernels::BlowfishShape& shape, const kernels::BlowfishSegment& segment) {
    constexpr auto op = core::Op::ecb_encrypt;
    kernels::BlowfishArguments arguments{};
    arguments.segments[0] = segment;
    arguments.segment_count = 1;
    return cli::bench::kernel_seconds(op, arguments, shape, stream_, begin_, end_);
  }

  const cipher::Schedule& schedule_;
  device::Context context_{0};
  device::Stream stream_{context_};
  device::Event begin_{context_, device::EventKind::timing};
  device::Event end_{context_, device::EventKind::timing};
};

class Thesis {
 public:
  Thesis(std::FILE* csv, std::string stamp, std::size_t most_bytes)
      : csv_(csv), stamp_(std::move(stamp)), plain_(most_bytes), expected_(most_bytes), got_(most_bytes) {
    cipher::expand(std::as_bytes(std::span(secrets_.key)), schedule_);
    pinned_in_ = gpu_->allocate(most_bytes);
    pinned_out_ = gpu_->allocate(most_bytes);
    std::fprintf(csv_, "machine,date,commit,command,variant,thread_blocks,bytes,run,step,seconds,verified\n");
  }

  void run(std::size_t thread_blocks, int run) {
    thread_blocks_ = thread_blocks;
    bytes_ = thread_blocks * kThesisThreadBlockBytes;
    run_ = run;
    fill_with_random_words();
    time_openssl();
    time_steps();
    for (const auto& engine : {&one_core_, &all_cores_, &gpu_}) time_engine(**engine, plain(), got(), "");
    time_engine(*gpu_, pinned_in_.span().first(bytes_), pinned_out(), " pinned");
  }

 private:
  std::span<const std::byte> plain() const { return std::span(plain_).first(bytes_); }
  std::span<std::byte> got() { return std::span(got_).first(bytes_); }
  std::span<std::byte> pinned_out() { return pinned_out_.span().first(bytes_); }

  void fill_with_random_words() {
    for (std::size_t i = 0; i < bytes_; i += 8) {
      const std::uint64_t word = random_();
      std::memcpy(plain_.data() + i, &word, 8);
    }
    std::memcpy(pinned_in_.data(), plain_.data(), bytes_);
  }

  void row(const std::string& variant, const char* step, double seconds) {
    std::fprintf(csv_, "%s,%s,%zu,%zu,%d,%s,%.9f,yes\n", stamp_.c_str(), variant.c_str(), thread_blocks_,
                 bytes_, run_, step, seconds);
  }

  // Only correct outputs get rows.
  void require_expected(const std::string& variant, std::span<const std::byte> out) const {
    if (std::memcmp(out.data(), expected_.data(), bytes_) != 0)
      throw std::runtime_error(variant + " differs from OpenSSL");
  }

  static void poison(std::span<std::byte> out) { std::memset(out.data(), 0xa5, out.size()); }

  // OpenSSL on one core is the baseline of all comparisons.
  void time_openssl() {
    const auto in_place = [&](std::vector<std::byte>& data, const auto& encrypt) {
      std::memcpy(data.data(), plain_.data(), bytes_);
      const auto start = Clock::now();
      encrypt(std::span(reinterpret_cast<unsigned char*>(data.data()), bytes_));
      return seconds_since(start);
    };
    row(openssl_->name() + " 1 core", "cpu",
        in_place(expected_, [&](auto data) { openssl_->run(Work::ecb_encrypt, data); }));
    const double seconds =
        in_place(got_, [&](auto data) { parallel_openssl_->run(Work::ecb_encrypt, data); });
    require_expected("OpenSSL on all cores", got());
    row(openssl_->name() + " all cores", "cpu", seconds);
  }

  void time_steps() {
    poison(got());
    steps_rows("thesis corrected", run_thesis_2009(schedule_, plain(), got()), got());
    kernels::BlowfishShape shape = kernel_.shape();
    for (const std::string variant : {"fugu kernel", "fugu kernel as many thread-blocks"}) {
      poison(pinned_out());
      steps_rows(variant, kernel_.run(shape, pinned_in_.span().first(bytes_), pinned_out()), pinned_out());
      shape.thread_blocks = static_cast<int>(thread_blocks_);
    }
  }

  void steps_rows(const std::string& variant, const StepSeconds& steps, std::span<const std::byte> out) {
    require_expected(variant, out);
    row(variant, "allocation", steps.allocation);
    row(variant, "to device", steps.to_device);
    row(variant, "kernel", steps.kernel);
    row(variant, "to host", steps.to_host);
  }

  void time_engine(engine::Engine& engine, std::span<const std::byte> in, std::span<std::byte> out,
                   const char* memory) {
    const bool on_cpu = engine.name().starts_with("cpu/");
    const std::string variant =
        std::string(engine.name()) + (&engine == one_core_.get() ? " 1 core" : "") + memory;
    engine::Segment segment;
    segment.schedule = &schedule_;
    segment.in = in;
    segment.out = out;
    poison(out);
    const auto start = Clock::now();
    engine.run(engine::Op::ecb_encrypt, {&segment, 1});
    const double seconds = seconds_since(start);
    require_expected(variant, out);
    row(variant, on_cpu ? "cpu" : "overlapped", seconds);
  }

  std::FILE* csv_;
  std::string stamp_;
  std::vector<std::byte> plain_;
  std::vector<std::byte> expected_;
  std::vector<std::byte> got_;
  std::mt19937_64 random_{std::random_device{}()};
  Secrets secrets_ = random_secrets();
  cipher::Schedule schedule_;
  std::unique_ptr<Peer> openssl_ = openssl_peer(secrets_);
  std::unique_ptr<Peer> parallel_openssl_ = parallel_openssl_peer(secrets_);
  KernelSteps kernel_{schedule_};
  std::unique_ptr<engine::Engine> one_core_ = engine::make(best_cpu_engine(), {.threads = 1});
  std::unique_ptr<engine::Engine> all_cores_ = engine::make(best_cpu_engine());
  std::unique_ptr<engine::Engine> gpu_ = engine::make("cuda:0");
  engine::Chunk pinned_in_;
  engine::Chunk pinned_out_;
  std::size_t thread_blocks_ = 0;
  std::size_t bytes_ = 0;
  int run_ = 0;
};

void run(std::FILE* csv, const std::string& stamp, int runs, const std::vector<std::size_t>& sizes) {
  Thesis thesis(csv, stamp, kThesisThreadBlockBytes * *std::ranges::max_element(sizes));
  for (const std::size_t thread_blocks : sizes)
    for (int i = 1; i <= runs; ++i) thesis.run(thread_blocks, i);
}

}  // namespace
}  // namespace fugu::bench

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: thesis_2009 CSV STAMP RUNS THREAD_BLOCKS...\n");
    return 1;
  }
  return fugu::bench::write_csv("thesis_2009", argv[1], [&](std::FILE* csv) {
    std::vector<std::size_t> sizes;
    for (int i = 4; i < argc; ++i) sizes.push_back(std::stoul(argv[i]));
    fugu::bench::run(csv, argv[2], std::stoi(argv[3]), sizes);
    return 0;
  });
}
