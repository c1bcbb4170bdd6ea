// The harness: what a measurement is, the only loop that takes samples, and the rows that come of it. `fugu
// bench` and tools/bench consist of rows {scope, case, run}; a run hands trials to a Sampler.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fugu::cli::bench {

// Never mixed in one table.
//   kernel    data in the engine's own memory: device memory for a GPU, host memory for a CPU
//   copy      host memory to host memory
//   file      read, cipher, write, fsync, as in `fugu encrypt`
//   spectral  Walsh transforms, and what is built on them, in the engine's own memory
//   sealed    the sealed format in memory, and its keys
// Of tools/bench alone:
//   sweep     Blowfish kernels in launch shapes that the policy does not choose
//   paper     the algorithms of the papers
//   sbox      the S-box laboratory on a GPU, host memory to host memory
//   ranks     transforms over the GPUs of all MPI ranks
//   thesis    the runs of Feist 2009, step by step
enum class Scope : std::uint8_t { kernel, copy, file, spectral, sealed, sweep, paper, sbox, ranks, thesis };
inline constexpr std::string_view kScopeNames[] = {"kernel", "copy",  "file", "spectral", "sealed",
                                                   "sweep",  "paper", "sbox", "ranks",    "thesis"};

constexpr std::string_view name_of(Scope scope) {
  return kScopeNames[static_cast<std::size_t>(scope)];
}

struct Sample {
  double seconds = 0;      // wall clock, or the GPU's own events for work on the device alone
  double cpu_seconds = 0;  // user and system time of the process and its children meanwhile
};

// One line of a table.
struct Row {
  Scope scope = Scope::kernel;
  std::string engine;     // "openssl 3.0.2", "cpu/scalar", "cuda:0", "link"; "floor": the least time possible
  unsigned threads = 0;   // CPU threads; 0: work of a GPU
  std::string mode;       // "ecb", "ctr", "walsh int32", ...
  std::string direction;  // "encrypt", "decrypt", or a variant that ends in its parameter, such as "n=24"
  std::string place;      // where the data is: a kind of memory, or a file system's name
  std::uint64_t bytes = 0;
  int thread_blocks = 0;  // GPU kernels only
  int threads_per_block = 0;
  std::vector<Sample> samples = {};

  double gb_per_s(const Sample& sample) const {  // decimal
    return static_cast<double>(bytes) / sample.seconds * 1e-9;
  }
};

// The summary of a row's samples, in decimal GB/s and seconds.
struct Summary {
  double median = 0;
  double least = 0;
  double most = 0;
  double cpu_seconds = 0;  // median
};
Summary summarize(const Row& row);

// A measurement. A time is always that of one stretch of work, never the difference of two.
struct Trial {
  // Timed by itself, in seconds.
  std::function<double()> run;

  // Not timed: leaves nothing in the output that a run could be credited with.
  std::function<void()> spoil = [] {};

  // Not timed: throws Error{mismatch} unless all of the output is right. By default other tests check it.
  std::function<void()> check = [] {};

  // Shorter times are impossible; 0 if no bound is known.
  double floor_seconds = 0;
};

// Throws Error{engine} for a time that is not positive or below `floor_seconds`.
void require_possible(double seconds, double floor_seconds);

// `count` samples after one run that is checked but discarded: spoil the output, time the work, check the
// output and the time. Throws Error{mismatch} for a wrong output, Error{engine} for a time below the floor;
// both name `what`.
std::vector<Sample> take_samples(const Trial& trial, std::string_view what, int count);

// The rows of a run, in the order in which they were taken.
struct Sampler {
  int runs = 1;                                         // samples per row
  std::function<void(const std::string&)> before = {};  // called with what is measured next
  std::vector<Row> rows = {};

  void take(Row row, const Trial& trial);
};

// The wall-clock seconds of `work`.
template <class Work>
double wall_seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// `work` as the run of a trial, by the wall clock.
template <class Work>
std::function<double()> timed(Work work) {
  return [work = std::move(work)] { return wall_seconds(work); };
}

}  // namespace fugu::cli::bench
