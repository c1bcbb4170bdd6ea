// Options about how to work: engine, threads, chunk size.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cli/options.hpp"
#include "fugu/engine/registry.hpp"

namespace fugu::cli {

struct WorkOptions {
  std::string engine = "auto";
  unsigned threads = 1;
  std::size_t chunk_bytes = 0;  // 0: what the engine prefers
};

// Throws Error{usage}.
WorkOptions work_options(const Arguments& arguments);

// Where --engine auto keeps its measurements of this machine: "engines" for encryption, "spectral". In the
// user's cache directory; empty: nowhere.
std::string calibration_path(const char* name);

// The memory that concurrent key derivations may take: a quarter of the machine's, and of what limits of the
// process or its control group allow.
std::uint64_t derivation_memory();

std::unique_ptr<engine::Engine> make_engine(const WorkOptions& options, unsigned threads);

}  // namespace fugu::cli
