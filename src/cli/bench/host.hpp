// Work in host memory, in place as in `fugu encrypt`: OpenSSL, the CPU engines, and GPU engines from host
// memory to host memory.
#pragma once

#include "fugu/engine/engine.hpp"
#include "measure/case.hpp"
#include "measure/trial.hpp"

namespace fugu::cli::bench {

class HostTrial : public Trial {
 public:
  // `buffer` has the input's size; `pool` prepares and checks.
  HostTrial(const Case& work, std::span<std::byte> buffer, ThreadPool& pool)
      : case_(work), buffer_(buffer), pool_(pool) {}

  void spoil() override;  // restores the input, which no output resembles
  void check() override;

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

// An engine behind the modes of the library.
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
