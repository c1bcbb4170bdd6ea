// A file's share of the run's resources while other files are processed.
#pragma once

#include <semaphore>

#include "fugu/engine/engine.hpp"
#include "fugu/stream/output_file.hpp"
#include "fugu/stream/pump.hpp"

namespace fugu::cli {

// One per thread of -T; each computing thread holds one.
using Processors = std::counting_semaphore<>;

struct Share {
  engine::Engine& engine;
  std::size_t chunk_bytes = 0;  // as in format::Job
  stream::PumpCounters* counters = nullptr;
  unsigned threads = 1;  // for reading the input, and as many for writing the output
  stream::OutputDirectories* directories = nullptr;
  Processors* processors = nullptr;  // the work holds one of them; null for a single file

  // Runs `wait`, which waits for the disk, and lends the processor to another file meanwhile.
  template <class Wait>
  void while_waiting(Wait wait) const {
    if (processors == nullptr) return wait();
    processors->release();
    const Returning returning{*processors};
    wait();
  }

 private:
  struct Returning {
    Processors& processors;
    ~Returning() { processors.acquire(); }
  };
};

}  // namespace fugu::cli
