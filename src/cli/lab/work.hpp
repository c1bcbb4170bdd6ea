// What the operations of fugu spectral and fugu sbox share: the engine, the output, and the display of long
// work, an estimate before it and progress.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/output.hpp"
#include "cli/lab/gpu.hpp"
#include "cli/lab/input.hpp"
#include "cli/options.hpp"
#include "cli/process/progress.hpp"
#include "fugu/spectral/equivalence/equivalence.hpp"
#include "fugu/spectral/lab/property.hpp"
#include "fugu/spectral/walsh.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::cli {

// One run of an operation. All of its loops share the pool.
struct SpectralRequest {
  const Arguments& arguments;
  SpectralEngine engine;
  spectral::Ordering ordering;
  threads::ThreadPool& pool;
  GpuOfRun& gpu;

  spectral::WalshOptions work() const { return {.ordering = ordering, .pool = &pool}; }
};

// The units of choice::WorkKind in which transforms of `values` in rows of 2^variables are counted.
inline double transform_units(std::uint64_t values, int variables) {
  return static_cast<double>(values) * variables;
}

// For read_input(): starts the GPU beside the reading if the likely number of values predicts that it will be
// used.
ExpectValues expect_gpu(const SpectralRequest& request, choice::WorkKind work);

// For --verbose: the engine that computed `what`.
void say_engine(std::string_view what, std::optional<int> device, unsigned threads);

// Says how long work on the CPU takes, if that is long.
void say_estimate(const SpectralRequest& request, choice::WorkKind work, double units);

// The row of the operation that the first operand names, in the table of a subcommand. Throws Error{usage}
// without one, and for other names.
template <class Operation, std::size_t n>
const Operation& operation_of(const Arguments& arguments, std::string_view command,
                              const Operation (&operations)[n]) {
  std::string names;
  for (const Operation& operation : operations) {
    if (!arguments.operands().empty() && operation.name == arguments.operands()[0]) return operation;
    names += (names.empty() ? "" : ", ") + std::string(operation.name);
  }
  throw Error(
      Errc::usage,
      arguments.operands().empty()
          ? fmt::format("an operation is missing: {}; see fugu {} --help", names, command)
          : fmt::format("no operation '{}'; there are {}", printable(arguments.operands()[0]), names));
}

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
void write_output(const Arguments& arguments, const ResultOptions& options, std::string_view text);

// "about 2 min"
std::string estimate_text(double seconds);

// Work of more than this on one core is only done with --exhaustive.
inline constexpr double kAskedSeconds = 600;

// Throws Error{usage} with the estimate, unless the work may be done.
void require_asked(const Arguments& arguments, std::string_view what, double core_seconds);

class LongWork {
 public:
  static constexpr double kShownSeconds = spectral::lab::kLongSeconds;

  // `total` units of `unit`, 0 if unknown, which any thread may count off. An estimate above kShownSeconds is
  // printed first.
  LongWork(const Arguments& arguments, const std::string& what, std::uint64_t total, double seconds,
           std::string_view unit);

  void advance(std::uint64_t count) { progress_.counters().bytes_read += count; }

 private:
  Progress progress_;
};

// Counts off `steps` of long work; empty if it takes no longer than LongWork::kShownSeconds.
spectral::Progress shown_work(const Arguments& arguments, const std::string& what, std::uint64_t steps,
                              double seconds, std::string_view unit);

// The limit of a search; 0 for none, with --exhaustive.
double search_seconds(const Arguments& arguments);

// The display of a search, from its third second on: most end before.
class SearchWork {
 public:
  // `what`: the steps, "guesses at ...": `total`, which take about `seconds`; 0: nobody knows how many, and
  // the search ends after `seconds`, or without a limit for 0.
  SearchWork(const Arguments& arguments, std::string what, std::uint64_t total, double seconds)
      : arguments_(arguments), what_(std::move(what)), total_(total), seconds_(seconds) {}

  // For one search that begins now, during which this must exist.
  spectral::SearchOptions options();

  void advance(std::uint64_t steps);

 private:
  using Clock = std::chrono::steady_clock;

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  double estimate() const;
  void show();

  const Arguments& arguments_;
  std::string what_;
  std::uint64_t total_;
  double seconds_;
  Clock::time_point begin_ = Clock::now();
  std::uint64_t steps_ = 0;
  std::unique_ptr<LongWork> work_;
};

}  // namespace fugu::cli
