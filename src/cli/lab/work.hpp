// What the operations of fugu spectral and fugu sbox share: the engine, the output, and the display of long
// work, an estimate before it and progress.
#pragma once

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <future>

#include "cli/files/output.hpp"
#include "cli/lab/values.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/device/gpu_or_cpu.hpp"
#include "fugu/spectral/equivalence/equivalence.hpp"
#include "fugu/spectral/lab/property.hpp"

namespace fugu::cli {

// The CPU or one GPU: `device` is set for a GPU, `algorithm` for one of the paper's, 0 to 6.
struct SpectralEngine {
  std::optional<int> device;
  std::optional<int> algorithm;
  bool automatic = false;  // no engine was requested: an operation may use a GPU if that is faster
};

// Throws Error{usage} for an unknown engine or one that does not fit the algorithm.
SpectralEngine spectral_engine(const Arguments& arguments);

// Work on a truth table, which is copied as bits and expands to 16-bit and 32-bit values.
inline std::uint64_t bytes_on_gpu(const spectral::TruthTable& table) {
  return 7 * table.size();
}

struct Gpu {
  explicit Gpu(int index) : context(index), stream(context) {}

  // The work must fit before anything is copied. Throws Error{engine}.
  void require(std::uint64_t bytes) const;

  device::Context context;
  device::Stream stream;
};

// The GPU that --engine auto may choose.
inline constexpr int kAutomaticDevice = 0;

// The one GPU of a run, started once: if announced, ahead of its work and beside the reading of the input.
class GpuOfRun {
 public:
  // `threads`: those of the CPU, for auto to compare with.
  GpuOfRun(const SpectralEngine& engine, unsigned threads)
      : named_(engine.device),
        automatic_(engine.automatic),
        threads_(threads),
        or_cpu_(automatic_, say_why) {}

  // The GPU for this work: the one that --engine names; for auto, the first one if it is predicted to be
  // faster.
  std::optional<int> device_for(choice::WorkKind work, double units) const;

  // Starts it on a thread of its own, once; or the one for this work, if there is one.
  void expect(int device);
  void expect(choice::WorkKind work, double units);

  // Null where the GPU that auto chose does not start. Rethrows any other exception of a failed start.
  const Gpu* get(int device);

  // Returns run(gpu) if device_for() chooses one. Empty: the CPU's turn, also where the GPU that auto chose
  // has failed.
  template <class Run>
  auto run(choice::WorkKind work, double units, const Run& run)
      -> std::optional<decltype(run(std::declval<const Gpu&>()))> {
    const std::optional<int> device = device_for(work, units);
    if (!device) return std::nullopt;
    return or_cpu_.attempt([&] { return run(started(*device)); });
  }

  // The one that did work; none after a failure.
  std::optional<int> used() const;

 private:
  const Gpu& started(int device);

  // Why the GPU is left out, unless this machine has none.
  static void say_why(const Error& failure);

  std::optional<int> named_;
  bool automatic_;
  unsigned threads_;
  std::future<Gpu> starting_;
  std::optional<Gpu> gpu_;
  device::GpuOrCpu or_cpu_;
};

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
  const std::string names = fmt::format("{}", fmt::join(names_in(operations), ", "));
  if (arguments.operands().empty()) refuse("an operation is missing: {}; see fugu {} --help", names, command);
  const std::string& name = arguments.operands()[0];
  const auto* const found = std::ranges::find(operations, name, &Operation::name);
  if (found != std::end(operations)) return *found;
  refuse("no operation '{}'; choose from {}", printable(name), names);
}

// The input files of the operation, one or two; standard input without any. Throws Error{usage}.
std::vector<std::string> file_operands(const SpectralRequest& request, std::size_t count);

struct ResultOptions {
  bool binary = false;
  bool npy = false;
  bool is_report = false;  // for people: --quiet suppresses it on standard output
  std::optional<stream::FileId> input = {};
  std::uint64_t expected_bytes = 0;    // bytes to reserve in a file before the work; 0: not known
  unsigned threads = 1;                // how many may write
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

inline constexpr double kShownSeconds = spectral::lab::kLongSeconds;

// Shows `total` units of `unit`, 0 if unknown, which any thread may count off. An estimate above
// kShownSeconds is printed first.
spectral::Progress long_work(const Arguments& arguments, const std::string& what, std::uint64_t total,
                             double seconds, std::string_view unit);

// The same for work that takes longer than kShownSeconds; empty for other work.
spectral::Progress shown_work(const Arguments& arguments, const std::string& what, std::uint64_t steps,
                              double seconds, std::string_view unit);

// The limit of a search; 0 for none, with --exhaustive.
double search_seconds(const Arguments& arguments);

// Shows a search that begins now from its third second on: most end before. `what`: the steps, "guesses at
// ...": `total`; 0: nobody knows how many, and the search ends after `seconds`, or without a limit for 0.
spectral::Progress search_work(const Arguments& arguments, std::string what, std::uint64_t total,
                               double seconds);

// For a search within the limit, of steps that nobody can count before.
spectral::SearchOptions search_options(const Arguments& arguments, std::string what);

// Values of properties as text: "4:255 6:510"
std::string histogram_text(const spectral::Histogram& histogram);

// Fractions have `digits` after the point; a missing value is "-".
std::string value_text(const spectral::lab::Value& value, int digits = 6);
nlohmann::ordered_json value_json(const spectral::lab::Value& value);

// A line per table of boxes, and per column of reports: name, definition, and the name in Python where it
// differs.
std::string property_list();

}  // namespace fugu::cli
