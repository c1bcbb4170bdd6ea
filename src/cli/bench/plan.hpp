// The measurements requested of `fugu bench`, and what takes them.
#pragma once

#include <functional>
#include <memory>

#include "cli/options.hpp"
#include "fugu/stream/posix/descriptor.hpp"
#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"
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

// File to file like `fugu encrypt --format raw`: read, cipher, write, fsync, rename.

// Type of the file system that holds a directory, as mount(8) names it; "unknown" if the system does not say.
std::string file_system_of(const std::string& directory);

// An unnamed input, so that nothing can leave it behind, and the name of an output beside it.
class ScratchFiles {
 public:
  // Throws Error{io}.
  ScratchFiles(const std::string& directory, std::span<const std::byte> input);

  // The input from its beginning, read by up to `threads`.
  std::unique_ptr<stream::Source> open_input(unsigned threads) const;
  const std::string& output() const { return output_; }

  // The output's contents, up to `most` bytes; the file is gone afterwards. Throws Error{io}.
  std::vector<std::byte> take_output(std::size_t most) const;

 private:
  std::string output_;
  stream::Descriptor input_;
};

using Transfer = std::function<void(stream::Source&, stream::Sink&)>;

// At most `threads` read, and as many write. Its check removes the output: none exists before a run.
Trial file_trial(const Case& c, ThreadPool& pool, const ScratchFiles& files, unsigned threads,
                 Transfer transfer);

// By an engine, and by OpenSSL's Blowfish on the threads of `workers` between the same reader and writer.
Transfer transfer_by(engine::Engine& engine, const Case& c);
Transfer transfer_by_openssl(ThreadPool& workers, const Case& c);

}  // namespace fugu::cli::bench
