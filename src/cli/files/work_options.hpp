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

// The memory that this process may use.
std::uint64_t memory_bytes();

// The memory that concurrent key derivations may take: a quarter of the machine's, and of what limits of the
// process or its control group allow.
std::uint64_t derivation_memory();

// For auto: `expected_bytes` in `expected_files`; 0: not known.
std::unique_ptr<engine::Engine> make_engine(const WorkOptions& options, unsigned threads,
                                            std::uint64_t expected_bytes = 0, std::size_t expected_files = 1);

}  // namespace fugu::cli
