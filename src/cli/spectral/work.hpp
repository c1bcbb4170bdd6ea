// What the fugu spectral operations share: the engine and the output.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/files/output.hpp"
#include "cli/options.hpp"
#include "cli/spectral/gpu.hpp"
#include "cli/spectral/input.hpp"
#include "fugu/choice.hpp"
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

// The GPU that --engine names; for auto, the first one if it is predicted to be faster at transforms of
// `values` in rows of 2^variables.
std::optional<int> device_for(const SpectralRequest& request, choice::Work work, std::uint64_t values,
                              int variables);

// For read_input(): starts the GPU beside the reading if the likely number of values predicts that it will be
// used.
ExpectValues expect_gpu(const SpectralRequest& request, choice::Work work);

// Returns run(gpu) if device_for() chooses one. Empty: the CPU's turn, also where the GPU that auto chose has
// failed.
template <class OnGpu>
auto run_on_gpu(const SpectralRequest& request, choice::Work work, std::uint64_t values, int variables,
                const OnGpu& run) -> std::optional<decltype(run(std::declval<const Gpu&>()))> {
  const std::optional<int> device = device_for(request, work, values, variables);
  if (!device) return std::nullopt;
  try {
    return run(request.gpu.get(*device));
  } catch (const Error& failure) {
    if (!request.engine.automatic) throw;
    request.gpu.leave_out(failure);
    return std::nullopt;
  }
}

// For --verbose: the engine that computed `what`.
void say_engine(std::string_view what, std::optional<int> device, unsigned threads);

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

// Notes a name that ends in .npy although the content is not in that format.
void note_false_name(std::string_view name, bool npy);

// Opens the output (standard output if unnamed), lets `write` fill it, and renames it into place.
void write_output(const Arguments& arguments, const ResultOptions& options,
                  const std::function<void(stream::Sink&)>& write);

}  // namespace fugu::cli
