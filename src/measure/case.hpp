// The data of a measurement: random bytes under a random key, both new, and OpenSSL's result for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fugu/auth/secret.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/mode/mode.hpp"
#include "measure/bytes.hpp"

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
};

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

}  // namespace fugu::cli::bench
