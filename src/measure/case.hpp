// The data of a measurement: random bytes under a random key, both new, and OpenSSL's result for them; and
// the work in host memory on it, in place as in `fugu encrypt`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fugu/auth/secret.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/mode/mode.hpp"
#include "measure/bytes.hpp"
#include "measure/trial.hpp"

namespace fugu::cli::bench {

struct Work {
  mode::Mode mode;
  core::Direction direction;

  bool is_serial() const { return mode::is_serial(mode, direction); }
  std::string mode_name() const;
  std::string direction_name() const;
};

struct Case {
  Work work;
  mode::Settings settings;  // unpadded
  const auth::SecretBytes& key;
  const cipher::Schedule& schedule;
  std::span<const std::byte> input;
  std::span<const std::byte> expected;  // by OpenSSL; a block equals the input's with probability 2^-64

  Row row(Scope scope, std::string engine, unsigned threads, std::string place) const {
    return {
        scope,       std::move(engine), threads, work.mode_name(), work.direction_name(), std::move(place),
        input.size()};
  }
};

// OpenSSL's name and version, as rows have them.
std::string openssl_name();

class CaseMaker {
 public:
  // `pool` outlives it.
  explicit CaseMaker(ThreadPool& pool);

  const cipher::Schedule& schedule() const { return schedule_; }

  // Valid until the next call. `bytes` is a multiple of 8.
  Case make(const Work& work, std::size_t bytes);

 private:
  ThreadPool& pool_;
  auth::SecretBytes key_;
  cipher::Schedule schedule_;
  mode::Settings settings_;
  Bytes input_;
  Bytes expected_;
};

class HostTrial : public Trial {
 public:
  // `buffer` has the input's size; `pool` prepares and checks.
  HostTrial(const Case& work, std::span<std::byte> buffer, ThreadPool& pool)
      : case_(work), buffer_(buffer), pool_(pool) {}

  void spoil() override { copy_bytes(case_.input, buffer_, pool_); }  // which no output resembles
  void check() override { require_same(case_.expected, buffer_, pool_); }

 protected:
  const Case& case_;
  std::span<std::byte> buffer_;

 private:
  ThreadPool& pool_;
};

// OpenSSL's Blowfish on the threads of `workers`.
class OpensslTrial final : public HostTrial {
 public:
  OpensslTrial(const Case& work, std::span<std::byte> buffer, ThreadPool& pool, ThreadPool& workers)
      : HostTrial(work, buffer, pool), workers_(workers) {}

  double run() override;

 private:
  ThreadPool& workers_;
};

// An engine behind the modes of the library: a CPU engine, or a GPU's from host memory to host memory.
class EngineTrial final : public HostTrial {
 public:
  EngineTrial(const Case& work, std::span<std::byte> buffer, ThreadPool& pool, engine::Engine& engine,
              double floor_seconds)
      : HostTrial(work, buffer, pool), engine_(engine), floor_seconds_(floor_seconds) {}

  double run() override;
  double floor_seconds() const override { return floor_seconds_; }

 private:
  engine::Engine& engine_;
  double floor_seconds_;
};

}  // namespace fugu::cli::bench
