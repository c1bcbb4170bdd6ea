// What every format works with: an engine, a source, a sink, and the pump between them.
#pragma once

#include <cstddef>

#include "fugu/engine/engine.hpp"
#include "fugu/mode/mode.hpp"
#include "fugu/stream/pump.hpp"

namespace fugu::format {

struct Job {
  engine::Engine& engine;
  stream::Source& source;
  stream::Sink& sink;
  std::size_t chunk_bytes = 0;  // 0: what the engine prefers
  stream::PumpCounters* counters = nullptr;
  // Sees the ciphertext beside the plaintext of each chunk of a decryption (`fugu verify --openssl`); may be empty.
  std::function<void(std::span<const std::byte> ciphertext, std::span<const std::byte> unpadded_plaintext)> observer;
};

// Pumps the job's source through one cipher stream into its sink.
void run_cipher(const Job& job, const cipher::Schedule& schedule, const mode::Settings& settings,
                core::Direction direction);

}  // namespace fugu::format
