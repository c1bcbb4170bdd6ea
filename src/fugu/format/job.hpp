// What every format works with: an engine, a source, a sink, and the pump between them.
#pragma once

#include <cstddef>
#include <span>
#include <stop_token>

#include "fugu/engine/engine.hpp"
#include "fugu/export.hpp"
#include "fugu/mode/mode.hpp"
#include "fugu/stream/pump.hpp"

namespace fugu::format {

// Observes a decryption (`fugu verify --openssl`): the settings and key of the one cipher stream that all of
// the data goes through, then its input and output. A codec that works this way has Ability::watch.
class FUGU_EXPORT Watcher {
 public:
  virtual ~Watcher() = default;

  // Called once, after the secret has been checked and before the first byte is written. May refuse with
  // Error.
  virtual void begin(const mode::Settings& settings, std::span<const std::byte> key) = 0;

  // Chunks in order. The last plaintext is shorter by the removed padding.
  virtual void chunk(std::span<const std::byte> ciphertext, std::span<const std::byte> plaintext) = 0;
};

struct SalvageReport;

struct Job {
  engine::Engine& engine;
  stream::Source& source;
  stream::Sink& sink;
  std::size_t chunk_bytes = 0;  // 0: chosen for the engine and the input
  stream::PumpCounters* counters = nullptr;
  Watcher* watcher = nullptr;  // of a decryption
  std::stop_token stop = {};   // requested: the job ends with Error{interrupted}
  // Not empty for one of several jobs that run side by side and keep all processors busy: it starts no
  // threads and works in this memory, in chunks that stay in a core's cache (kAloneChunkBytes). The size of
  // the source is exact and not 0.
  std::span<std::byte> memory = {};
  SalvageReport* salvage = nullptr;  // of a decryption that keeps what damage leaves (salvage.hpp)
};

// Pumps the job's source through one cipher stream into its sink, in at most kMaxRingBytes of the engine's
// memory unless the job requests larger chunks. The job's watcher sees a decryption. Throws whatever reading,
// writing, the engine, the watcher and mode::CipherStream::process() throw.
FUGU_EXPORT void run_cipher(const Job& job, std::span<const std::byte> key, const mode::Settings& settings,
                            core::Direction direction);

// The same for a schedule that was not expanded from a key; no watcher is called.
FUGU_EXPORT void run_cipher(const Job& job, const cipher::Schedule& schedule, const mode::Settings& settings,
                            core::Direction direction);

// Pumps `source` through the stages into `sink` in chunks of the engine's memory, as many as the job's source
// fills up to ring_chunks(), each with room for `chunk_bytes` of input and `reserve_bytes` more for output.
// `parallel` runs on parallel_workers().
FUGU_EXPORT void pump_chunks(const Job& job, stream::Source& source, stream::Sink& sink,
                             std::size_t chunk_bytes, std::size_t reserve_bytes,
                             const stream::OrderedStage& ordered, const stream::ParallelStage& parallel = {});

inline constexpr std::size_t kAloneChunkBytes = std::size_t{256} << 10;

inline constexpr std::size_t kRingChunks = 4;

constexpr std::size_t ring_chunks(unsigned workers) {
  return kRingChunks - 1 + workers;
}

inline constexpr std::size_t kMaxRingBytes = std::size_t{128} << 20;

// The workers of a parallel stage: two, since the threads that idle at the end of one call begin the other;
// one for few threads, which rarely wait for each other.
unsigned parallel_workers(const Job& job);

// The chunk that keeps the engine busy, or less where the input would fill few of them: reading, work and
// writing overlap only between chunks, and the first use of each chunk causes page faults.
std::size_t parallel_chunk_bytes(const Job& job);

// Count bytes that a format reads or writes itself, outside the pump.
FUGU_EXPORT void count_read(const Job& job, std::size_t bytes);
FUGU_EXPORT void write_counted(const Job& job, std::span<const std::byte> bytes);

}  // namespace fugu::format
