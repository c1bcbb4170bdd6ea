// The common part of the operations of fugu spectral: the engine and the output.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/output.hpp"
#include "cli/options.hpp"
#include "cli/spectral/gpu.hpp"
#include "fugu/spectral/walsh.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::cli {

// The engine. `device` is set for a GPU; `algorithm` for one of the paper's, 0 to 6.
struct SpectralEngine {
  std::optional<int> device;
  std::optional<int> algorithm;
  bool automatic = false;  // no engine was requested: an operation may use a GPU if that is faster
};

// Throws Error{usage} for an unknown engine or one that does not fit the algorithm.
SpectralEngine spectral_engine(const Arguments& arguments);

// One run of an operation. All of its loops share the pool.
struct SpectralRequest {
  const Arguments& arguments;
  SpectralEngine engine;
  spectral::Ordering ordering;
  threads::ThreadPool& pool;
  GpuOfRun& gpu;

  spectral::WalshOptions work() const { return {.ordering = ordering, .pool = &pool}; }
};

// For --verbose: the engine that computed `what`, by default the operation.
void say_engine(std::string_view what, std::optional<int> device, unsigned threads);
void say_engine(const SpectralRequest& request, std::optional<int> device);

// The input files of the operation: at most `most`, or standard input. Throws Error{usage}.
std::vector<std::string> file_operands(const SpectralRequest& request, std::size_t most);

struct ResultOptions {
  bool binary = false;
  bool npy = false;
  bool is_report = false;  // for people: --quiet suppresses it on standard output
  std::optional<stream::FileId> input = {};
  std::uint64_t expected_bytes = 0;    // bytes to reserve in a file before the work; 0: not known
  unsigned threads = 1;                // that may write
  std::string_view option = "output";  // the option that names the output
};

// Says so if a file's name ends as those of .npy files do, and `npy` says that it is none.
void note_false_name(std::string_view name, bool npy);

// Opens the output, which is standard output if unnamed, lets `write` fill it, and gives it its name.
void write_output(const Arguments& arguments, const ResultOptions& options,
                  const std::function<void(stream::Sink&)>& write);

}  // namespace fugu::cli
