// The data of a measurement: random bytes under a random key, both new, and OpenSSL's result for them; and
// the work in host memory on it, in place as in `fugu encrypt`. Large buffers are prepared and checked
// by all threads of a pool: half a gigabyte must not take longer than measuring it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "fugu/auth/secret.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/mode/mode.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "measure/trial.hpp"

namespace fugu::cli::bench {

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
