// The measurements requested of `fugu bench`, what takes them, and their report.
#pragma once

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
  std::vector<std::uint64_t> threads_per_block;  // as thread_blocks
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

// Type of the file system that holds a directory, as mount(8) names it; "unknown" if the system does not say.
std::string file_system_of(const std::string& directory);

// The results as tables for people, as JSON with every sample, and as CSV with one sample per row.

struct Machine {
  std::string cpu;
  unsigned processors = 0;        // that this process may run on
  std::vector<std::string> gpus;  // those that were measured
  std::string driver;             // the CUDA version it offers; empty: none
  std::string link;               // its rates in this run; empty: no GPU was measured
  std::vector<std::pair<std::string, std::string>> libraries;  // name, version
  std::string commit;                                          // of the build
  std::string date;                                            // of the run, UTC

  // "16 x Intel(R) Xeon(R) Processor; NVIDIA H200"
  std::string name() const;
};

// `link`: the rows of measure_link(), if any.
Machine describe_machine(const std::vector<Row>& rows, const std::vector<Row>& link);

struct Report {
  Machine machine;
  std::string command;
  std::vector<Row> rows;
};

std::string as_text(const Report& report);
std::string as_json(const Report& report);
std::string as_csv(const Report& report);  // RFC 4180, with a header line; lines end in \n

}  // namespace fugu::cli::bench
