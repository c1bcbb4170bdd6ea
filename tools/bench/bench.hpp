// The rows of tools/bench: internals that `fugu bench` does not show, and peers. README.md tells how to add
// one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fugu/device/buffer.hpp"
#include "measure/case.hpp"

namespace fugu::bench {

using namespace cli::bench;

struct Gpu {
  device::Context context{0};
  device::Stream stream{context};
  device::Event from{context, device::EventKind::timing};
  device::Event to{context, device::EventKind::timing};
  double bytes_per_second = 0;  // read and written by copies of 4 GiB

  // By its events, the mean of `repeats` calls back to back, which hides the host's time to queue one.
  double seconds(const std::function<void()>& work, int repeats = 1);

  // Values of which the bits of `mask` are random; they repeat after 2^25.
  template <class T>
  device::Buffer<T> random(std::size_t count, std::uint64_t mask);
};

// What the rows of a run share.
class Bench {
 public:
  Sampler sampler;
  ThreadPool pool{std::thread::hardware_concurrency()};
  ThreadPool one{1};
  CaseMaker maker{pool};
  bool prints = true;              // false for MPI ranks but the first
  std::shared_ptr<void> mpi = {};  // MPI, from the first row that needs it

  // GPU 0; the first call also takes the row of its copies.
  Gpu& gpu();

  // Takes a row of calls in host memory, repeated until a sample is long enough for the clock.
  void on_cpu(Row row, const std::function<void()>& work);

  // Takes a row of calls in device memory; and one of the time in which the GPU could copy `moved_bytes`,
  // those that it has to read and write, unless they are 0.
  void on_gpu(Row row, double moved_bytes, const std::function<void()>& work);

 private:
  std::optional<Gpu> gpu_;
};

// One line per row: what `fugu_bench SCOPE/NAME` runs.
struct BenchRow {
  Scope scope;
  std::string name;
  std::function<void(Bench&)> run;
};

// A row of `run` for these sizes.
inline BenchRow of_sizes(const char* name, void (*run)(Bench&, const std::vector<int>&),
                         const std::vector<int>& sizes) {
  return {Scope::spectral, name, [=](Bench& bench) { run(bench, sizes); }};
}

std::vector<BenchRow> peer_rows();
std::vector<BenchRow> spectral_rows();
std::vector<BenchRow> gpu_spectral_rows();
std::vector<BenchRow> sbox_rows();
std::vector<BenchRow> ranks_rows();
std::vector<BenchRow> thesis_rows();

inline std::string n_is(int n) {
  return "n=" + std::to_string(n);
}

template <class T>
device::Buffer<T> Gpu::random(std::size_t count, std::uint64_t mask) {
  std::vector<T> host(std::min<std::size_t>(count, std::size_t{1} << 25));
  for (std::size_t i = 0; i < host.size(); ++i) {  // SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA 2014)
    std::uint64_t x = (i + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    host[i] = static_cast<T>((x ^ x >> 31) & mask);
  }
  device::Buffer<T> data(stream, count, device::Contents::open);
  for (std::size_t at = 0; at < count; at += host.size())
    device::copy_to_device(data.span().subspan(at, host.size()), host, stream);
  return data;
}

}  // namespace fugu::bench
