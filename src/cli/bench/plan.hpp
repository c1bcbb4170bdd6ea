// The measurements requested of `fugu bench`, and what takes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "measure/case.hpp"

namespace fugu::cli::bench {

// "cuda:0", "cuda:all"
bool is_gpu(std::string_view engine);

// "cuda:1" is 1; cuda:all and CPU engines are not a single device.
std::optional<int> device_of(std::string_view engine);

struct Plan {
  std::vector<Scope> scopes;
  std::vector<std::string> engines;   // by name, each present on this machine
  std::vector<Operation> operations;  // kernel and copy scope
  std::vector<Operation> file_operations;
  std::vector<std::uint64_t> host_sizes;  // bytes, for work in host memory
  std::vector<std::uint64_t> gpu_sizes;   // for GPU engines
  std::vector<std::uint64_t> file_sizes;
  std::vector<std::uint64_t> thread_blocks;      // of the sweep; empty: chosen for the GPU
  std::vector<std::uint64_t> threads_per_block;  // the same
  int runs = 0;                                  // samples a row
  unsigned threads = 1;                          // of the rows that use all
  std::string directory;                         // of the file scope

  bool has(Scope scope) const;
};

// Throws Error{usage}, and Error{no_device} for an engine that cannot run here.
Plan read_plan(const Arguments& arguments);

// "fugu bench --scope kernel": the options as given, in the order of the help.
std::string command_text(const Arguments& arguments);

// The scopes: each hands its rows to the sampler. They throw Error{mismatch} for a wrong output,
// Error{engine} for an impossible time or a failing engine, Error{io} for files.

// The kernel, copy and file scopes. Returns the rows of the link to the first GPU among the engines, which
// are among the sampler's for the copy scope only.
std::vector<Row> measure_ciphers(const Plan& plan, Sampler& sampler);

// --sealed: the sealed format in memory, and the key schedules of its segments.
void measure_sealed(const Plan& plan, Sampler& sampler);

}  // namespace fugu::cli::bench
