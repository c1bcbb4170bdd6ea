// OpenSSL's Blowfish as a stream in any mode it has or, like ctr, that can be built from these: the reference
// of `selftest`, `verify --openssl` and `bench`, and the rival that `bench` measures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "fugu/auth/reference.hpp"
#include "fugu/mode/mode.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::cli {

// Without padding, whatever the settings say.
class OpensslStream {
 public:
  // Throws Error{usage} for settings without a counterpart in OpenSSL: cfb8, little-endian words or counters.
  OpensslStream(const mode::Settings& settings, core::Direction direction, std::span<const std::byte> key);
  OpensslStream(const OpensslStream&) = delete;
  OpensslStream& operator=(const OpensslStream&) = delete;
  ~OpensslStream();

  // Restarts from `iv`, under the same key.
  void restart(std::array<std::byte, core::kBlockBytes> iv);

  // Processes the stream's next bytes: whole blocks, but the last call of ctr, cfb and ofb may end inside
  // one. `in` and `out` have the same size and are identical or disjoint.
  void process(std::span<const std::byte> in, std::span<std::byte> out);

 private:
  void fill_keystream(std::span<std::byte> keystream);

  auth::ReferenceBlowfish reference_;
  std::optional<std::uint64_t> counter_;  // ctr only: OpenSSL's ecb encrypts the counter blocks
  std::array<std::byte, 4096> keystream_{};
};

// The same on several threads, if the mode can be cut: each piece starts at its own counter or at the
// ciphertext block before it. The constructor expands the keys once.
class OpensslThreads {
 public:
  // `pool` outlives it. Throws as OpensslStream.
  OpensslThreads(const mode::Settings& settings, core::Direction direction, std::span<const std::byte> key,
                 threads::ThreadPool& pool);

  // Processes the stream's next whole blocks, in place.
  void process(std::span<std::byte> data);

 private:
  mode::Settings settings_;  // its iv is that of the next block
  threads::ThreadPool& pool_;
  std::deque<OpensslStream> streams_;  // one per thread; one for a serial chain
};

}  // namespace fugu::cli
