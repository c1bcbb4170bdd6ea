// Copy scope: the time of Engine::run for its caller.
#include "gpu_copy.hpp"

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "fugu/cipher/schedule.hpp"
#include "fugu/engine/registry.hpp"

namespace fugu::bench {
namespace {

using engine::Op;

struct NamedOp {
  Op op;
  const char* name;
};
constexpr NamedOp kOps[] = {
    {Op::ecb_encrypt, "ecb_encrypt"}, {Op::ctr, "ctr"}, {Op::cbc_decrypt, "cbc_decrypt"}};

const cipher::Schedule& schedule() {
  static const auto made = [] {
    cipher::Schedule expanded;
    cipher::expand(std::vector<std::byte>(16, std::byte{0x5c}), expanded);
    return expanded;
  }();
  return made;
}

engine::Segment segment_of(std::span<std::byte> data) {
  engine::Segment segment;
  segment.schedule = &schedule();
  segment.in = data;
  segment.out = data;
  return segment;
}

double seconds_of(engine::Engine& engine, Op op, std::span<std::byte> data) {
  const engine::Segment segment = segment_of(data);
  const auto start = std::chrono::steady_clock::now();
  engine.run(op, {&segment, 1});
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<double> sample(engine::Engine& engine, Op op, std::span<std::byte> data, int count) {
  std::vector<double> seconds;
  for (int i = -1; i < count; ++i) {
    const double taken = seconds_of(engine, op, data);
    if (i >= 0) seconds.push_back(taken);
  }
  return seconds;
}

std::string best_cpu() {
  for (const engine::EngineInfo& info : engine::list())
    if (info.available && info.name.starts_with("cpu/")) return info.name;
  throw std::runtime_error("no CPU engine");
}

// Compares two engines before anything is timed.
void check(engine::Engine& engine, std::span<std::byte> data) {
  const std::vector<std::byte> before(data.begin(), data.end());
  std::vector<std::byte> want(before);
  seconds_of(*engine::make(best_cpu()), Op::cbc_decrypt, want);
  seconds_of(engine, Op::cbc_decrypt, data);
  if (std::memcmp(want.data(), data.data(), data.size()) != 0) throw std::runtime_error("wrong output");
}

}  // namespace

void bench_copy(Samples& samples, const std::string& name, std::uint64_t bytes, int count) {
  const auto engine = engine::make(name);
  const engine::Chunk memory = engine->allocate(bytes);
  std::memset(memory.data(), 0, bytes);
  seconds_of(*engine, Op::ctr, memory.span());          // data without a pattern:
  seconds_of(*engine, Op::ecb_encrypt, memory.span());  // counter mode alone would undo itself below
  check(*engine, memory.span().first(std::size_t{33} << 20));
  for (const NamedOp& op : kOps)
    samples.add("copy", name + " " + op.name, "", bytes, sample(*engine, op.op, memory.span(), count));
}

void bench_ordinary(Samples& samples, const std::string& name, int count) {
  const auto engine = engine::make(name);
  for (std::size_t bytes = std::size_t{1} << 20; bytes <= std::size_t{1} << 30; bytes *= 4) {
    std::vector<std::byte> memory(bytes);
    check(*engine, std::span(memory).first(std::min(bytes, std::size_t{33} << 20)));
    samples.add("copy", name + " ctr", "ordinary memory", bytes, sample(*engine, Op::ctr, memory, count));
  }
}

void bench_crossover(Samples& samples, const std::string& name, int count) {
  const auto gpu = engine::make(name);
  const auto cpu = engine::make(best_cpu());
  const engine::Chunk memory = gpu->allocate(std::size_t{256} << 20);
  const std::string threads = std::to_string(std::thread::hardware_concurrency()) + " threads";
  for (std::size_t bytes = std::size_t{16} << 10; bytes <= memory.size(); bytes *= 2) {
    const auto data = memory.span().first(bytes);
    samples.add("size", name + " ctr", "pinned", bytes, sample(*gpu, Op::ctr, data, count));
    samples.add("size", std::string(cpu->name()) + " ctr", threads, bytes,
                sample(*cpu, Op::ctr, data, count));
  }
}

void bench_startup(Samples& samples, const std::string& name) {
  const auto start = std::chrono::steady_clock::now();
  const auto taken = [&start] {
    return std::vector<double>{
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
  };
  const auto engine = engine::make(name);
  samples.add("startup", name + " made", "", 1, taken());
  std::vector<std::byte> data(4096);
  seconds_of(*engine, Op::ctr, data);
  samples.add("startup", name + " first 4 KiB done", "", 1, taken());
  samples.add("startup", name + " second 4 KiB", "", 4096, {seconds_of(*engine, Op::ctr, data)});
}

}  // namespace fugu::bench
