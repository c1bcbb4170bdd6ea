// The harness: what a measurement is, the only loop that takes samples, and the rows that come of it. `fugu
// bench` and tools/bench consist of rows {scope, case, run}; a run hands trials to a Sampler.
//
// Its data are random bytes under a random key, both new, and OpenSSL's result for them; its work in host
// memory on them is in place as in `fugu encrypt`. Large buffers are prepared and checked by all threads of a
// pool: half a gigabyte must not take longer than measuring it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/mode/mode.hpp"
#include "fugu/threads/thread_pool.hpp"

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

using threads::ThreadPool;

// Memory without secrets: neither zeroed nor wiped.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::size_t size) : data_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}

  std::size_t size() const { return size_; }
  std::span<std::byte> first(std::size_t count) { return std::span(data_.get(), size_).first(count); }
  std::span<std::byte> span() { return first(size_); }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
};

// Throws Error{io} when the system has no randomness.
void fill_random(std::span<std::byte> out, ThreadPool& pool);

// Both have the same size.
void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to, ThreadPool& pool);

// Throws Error{mismatch} naming the first byte that differs.
void require_same(std::span<const std::byte> expected, std::span<const std::byte> got, ThreadPool& pool);

struct Operation {
  mode::Mode mode;
  core::Direction direction;

  bool is_serial() const { return mode::is_serial(mode, direction); }
};

struct Case {
  Operation operation;
  mode::Settings settings;  // unpadded
  const auth::SecretBytes& key;
  const cipher::Schedule& schedule;
  std::span<const std::byte> input;
  std::span<const std::byte> expected;  // by OpenSSL; a block equals the input's with probability 2^-64

  Row row(Scope scope, std::string engine, unsigned threads, std::string place) const;
};

// OpenSSL's name and version, as rows have them.
std::string openssl_name();

class CaseMaker {
 public:
  // `pool` outlives it.
  explicit CaseMaker(ThreadPool& pool);

  const cipher::Schedule& schedule() const { return schedule_; }

  // Valid until the next call. `bytes` is a multiple of 8.
  Case make(const Operation& operation, std::size_t bytes);

 private:
  ThreadPool& pool_;
  auth::SecretBytes key_;
  cipher::Schedule schedule_;
  mode::Settings settings_;
  Bytes input_;
  Bytes expected_;
};

// A trial in `buffer`, which has the input's size and begins as the input, which no output resembles; `pool`
// prepares and checks. Everything outlives the trial.
Trial host_trial(const Case& c, std::span<std::byte> buffer, ThreadPool& pool, std::function<double()> run);

// OpenSSL's Blowfish on the threads of `workers`.
Trial openssl_trial(const Case& c, std::span<std::byte> buffer, ThreadPool& pool, ThreadPool& workers);

// An engine behind the modes of the library: a CPU engine, or a GPU's from host memory to host memory.
Trial engine_trial(const Case& c, std::span<std::byte> buffer, ThreadPool& pool, engine::Engine& engine,
                   double floor_seconds = 0);

}  // namespace fugu::cli::bench
