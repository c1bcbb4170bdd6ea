// Options about how to work: engine, threads, chunk size; a file's share of that while other files are
// processed; and what `--engine auto` decides by on this machine: kept in the user's cache directory by fugu
// engines --calibrate.
#pragma once

#include <memory>
#include <semaphore>

#include "cli/options.hpp"
#include "fugu/choice.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/stream/output_file.hpp"
#include "fugu/stream/pump.hpp"

namespace fugu::cli {

struct WorkOptions {
  std::string engine = "auto";
  unsigned threads = 1;
  std::size_t chunk_bytes = 0;  // 0: what the engine prefers
};

// Throws Error{usage}.
WorkOptions work_options(const Arguments& arguments);

// The memory that this process may use.
std::uint64_t memory_bytes();

// The memory that concurrent key derivations may take: a quarter of the machine's, and of what limits of the
// process or its control group allow.
std::uint64_t derivation_memory();

// For auto: `expected_bytes` in `expected_files`; 0: not known.
std::unique_ptr<engine::Engine> make_engine(const WorkOptions& options, unsigned threads,
                                            std::uint64_t expected_bytes = 0, std::size_t expected_files = 1);

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

// This machine's, or the built-in one.
const choice::Calibration& calibration();

// Whether auto takes a GPU. Does not look for one: work on the CPU would wait for that.
bool gpu_is_faster(const choice::Amount& amount);

std::string calibration_text(const choice::Calibration& calibration);

// For later runs. Throws Error{io}.
void save_calibration(const choice::Calibration& calibration);

}  // namespace fugu::cli
