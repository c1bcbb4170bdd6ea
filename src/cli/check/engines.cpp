// fugu engines, its --calibrate, and fugu selftest.
#include <unistd.h>

#include <cstdio>

#include "cli/check/checks.hpp"
#include "cli/commands.hpp"
#include "cli/lab/work.hpp"
#include "cli/process/json.hpp"
#include "fugu/core/splitmix.hpp"
#include "fugu/platform/system.hpp"
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/cuda/staging.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/named/named.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "measure/case.hpp"

namespace fugu::cli {
namespace {

using bench::wall_seconds;
using choice::WorkKind;

constexpr std::size_t kCipherBytes = std::size_t{32} << 20;
constexpr int kVariables = 24;
constexpr const char* kBox = "permutation:14:1";

// The spectra of kBox on a core of the machines of the built-in figures: 0.39 s for 2^32 entries on 16.
constexpr double kBoxCoreSeconds = 0.39;

// The median of some runs after one that may start threads and touch memory.
template <class Run>
double median_seconds(const Run& run) {
  run();
  std::array<double, 3> seconds{};
  std::ranges::generate(seconds, [&] { return wall_seconds(run); });
  std::ranges::sort(seconds);
  return seconds[1];
}

// Measures what `auto` decides by. Takes a few seconds on all processors. Without a
// GPU, and for CPU engines that cannot run here, the built-in figures stay.
class Calibrator {
 public:
  choice::Calibration measure() {
    measure_start();
    measure_ciphers();
    measure_nonlinearity();
    measure_walsh();
    measure_boxes();
    return result_;
  }

 private:
  // On a table, and before this process opens the driver: on one value, beside an open driver, a run took
  // 0.21 s where programs take 0.35 (H100).
  void measure_start() {
    const auto on_gpu = device::built_with_cuda() ? whole_run_seconds("cuda:0") : std::nullopt;
    if (!on_gpu && !device::inventory().devices.empty())
      say_note(
          "cuda:0 failed when this program ran on it; the built-in figures for a GPU stay, and auto may "
          "choose it");
    if (!on_gpu) return;
    const auto on_cpu = whole_run_seconds("cpu");
    if (!on_cpu) throw Error(Errc::engine, "this program cannot be started again");
    result_.gpu_start_seconds = std::max(0.001, *on_gpu - *on_cpu);
    gpu_.emplace(0);
  }

  // Little work: as long as the program's start and end. Nothing if the engine is not there, or fails.
  static std::optional<double> whole_run_seconds(std::string_view engine) {
    bool works = true;
    const double seconds = median_seconds([&] { works = works && runs(engine); });
    return works ? std::optional(seconds) : std::nullopt;
  }

  static bool runs(std::string_view engine) {
    const std::string command =
        fmt::format("/proc/{}/exe spectral nonlinearity --from packed --engine {} > /dev/null 2> /dev/null",
                    ::getpid(), engine);
    std::FILE* const run = ::popen(command.c_str(), "w");
    if (run == nullptr) throw system_error("this program cannot be started again", errno);
    const std::array<char, 8192> table{};
    std::fwrite(table.data(), 1, table.size(), run);
    return ::pclose(run) == 0;
  }

  // `units` on all threads, or on the GPU.
  void keep(WorkKind work, double units, double cpu_seconds, std::optional<double> gpu_seconds) {
    choice::Rates& rates = result_.rates_of(work);
    rates.core = cpu_seconds * pool_.threads() / units;
    if (gpu_seconds) rates.gpu = *gpu_seconds / units;
  }

  template <class Run>
  std::optional<double> gpu_seconds(const Run& run) const {
    return gpu_ ? std::optional(median_seconds([&] { run(gpu_->stream); })) : std::nullopt;
  }

  static double cipher_seconds(std::string_view name) {
    const auto engine = engine::make(name);
    const engine::Chunk memory = engine->allocate(kCipherBytes);
    cipher::Schedule schedule;
    cipher::expand(std::array{std::byte{1}}, schedule);
    const engine::Segment segment{.schedule = &schedule, .in = memory.span(), .out = memory.span()};
    std::ranges::fill(memory.span(), std::byte{0});
    return median_seconds([&] { engine->run(engine::Op::ctr, {&segment, 1}); });
  }

  void measure_ciphers() {
    for (const engine::EngineInfo& info : engine::list()) {
      const bool on_cpu = info.name.starts_with("cpu/");
      if (!info.available || (!on_cpu && (!gpu_ || info.name != "cuda:0"))) continue;
      const double seconds = cipher_seconds(info.name) * (on_cpu ? pool_.threads() : 1);
      result_.engines.push_back({info.name, seconds / kCipherBytes});
    }
  }

  void measure_nonlinearity() {
    spectral::TruthTable table(kVariables);
    core::SplitMix64 random(1);
    for (std::uint64_t& word : table.words()) word = random.next();
    const auto on_cpu = [&] {
      static_cast<void>(spectral::summarize_spectrum(table, {.pool = &pool_}));
      static_cast<void>(spectral::algebraic_degree(table, {.pool = &pool_}));
    };
    const auto on_gpu = [&](const device::Stream& stream) {
      const auto words = spectral::cuda::upload(table, stream);
      static_cast<void>(spectral::cuda::algebraic_degree(words.span(), kVariables, stream));
      static_cast<void>(spectral::cuda::summarize_spectrum(words.span(), kVariables,
                                                           spectral::cuda::Counting::yes, stream));
    };
    keep(WorkKind::nonlinearity, kTransformUnits, median_seconds(on_cpu), gpu_seconds(on_gpu));
  }

  void measure_walsh() {
    std::vector<std::int32_t> values(std::size_t{1} << kVariables);
    const auto on_cpu = [&] { spectral::walsh(std::span(values), kVariables, {.pool = &pool_}); };
    const auto on_gpu = [&](const device::Stream& stream) {
      spectral::cuda::on_device(std::span(values), stream, [&](device::DeviceSpan<std::int32_t> data) {
        spectral::cuda::walsh(data, kVariables, spectral::Ordering::natural, stream);
      });
    };
    keep(WorkKind::walsh, kTransformUnits, median_seconds(on_cpu), gpu_seconds(on_gpu));
  }

  void measure_boxes() {
    const spectral::SBox box = *spectral::named_box(kBox);
    keep(WorkKind::boxes, kBoxCoreSeconds,
         median_seconds([&] { static_cast<void>(spectral::linear(box, {pool_.threads()})); }),
         gpu_seconds([&](const device::Stream& stream) {
           static_cast<void>(spectral::cuda::linear({box, stream}));
         }));
  }

  static constexpr double kTransformUnits = static_cast<double>(kVariables) * (1 << kVariables);

  choice::Calibration result_ = choice::built_in();
  threads::ThreadPool pool_{platform::usable_processors()};
  std::optional<Gpu> gpu_;
};

using Engines = std::vector<engine::EngineInfo>;

std::string table(const Engines& engines) {
  std::size_t name_width = 0;
  for (const engine::EngineInfo& info : engines) name_width = std::max(name_width, info.name.size());
  std::string text;
  for (const engine::EngineInfo& info : engines) {
    const std::string state = info.available ? "available" : fmt::format("not available: {}", info.reason);
    const std::string hardware = info.hardware.empty() ? "" : fmt::format(" ({})", info.hardware);
    text += fmt::format("{:{}}  {}{}; needs {}\n", info.name, name_width, state, hardware, info.needs);
  }
  const auto is_cuda = [](const engine::EngineInfo& info) { return info.name.starts_with("cuda"); };
  if (std::ranges::none_of(engines, is_cuda))
    text += "cuda: absent from this build, or no device was found\n";
  return text;
}

std::string json(const Engines& engines) {
  auto rows = nlohmann::ordered_json::array();
  for (const engine::EngineInfo& info : engines) {
    rows.push_back({{"name", info.name},
                    {"available", info.available},
                    {"needs", info.needs},
                    {"hardware", info.hardware},
                    {"reason", info.reason}});
  }
  return json_text({{"version", kJsonVersion}, {"engines", rows}});
}

// With the built-in rates of the engines that were not measured.
choice::Calibration complete(choice::Calibration figures, const Engines& engines) {
  for (const engine::EngineInfo& info : engines) {
    const bool is_rated =
        std::ranges::find(figures.engines, info.name, &choice::EngineRate::name) != figures.engines.end();
    if (!is_rated && (info.name.starts_with("cpu/") || info.name == "cuda:0"))
      figures.engines.push_back({info.name, info.byte_seconds});
  }
  return figures;
}

// fugu selftest

struct SelftestOptions {
  std::uint64_t rounds;
  std::uint64_t seed;
  WorkOptions work;
};

// All engines that the machine can run, or the named one, which must be able to.
std::vector<engine::EngineInfo> engines_to_check(const std::string& name) {
  std::vector<engine::EngineInfo> engines = engine::list();
  if (name == "auto") return engines;
  std::erase_if(engines, [&](const engine::EngineInfo& info) { return info.name != name; });
  if (!engines.empty()) return engines;
  return engines_to_check(
      std::string(engine::make(name)->name()));  // resolves cpu and cuda; otherwise throws with the choices
}

std::string text(const Verdict& verdict) {
  if (!verdict.agrees()) return fmt::format("{}: MISMATCH: {}", verdict.title, verdict.difference);
  return fmt::format("{}: ok, {}", verdict.title, verdict.counted);
}

// Prints each verdict as it arrives, and collects the JSON.
class Reporter {
 public:
  explicit Reporter(const Arguments& arguments)
      : json_(arguments.has("json")), quiet_(loudness_of(arguments) == Loudness::quiet) {}

  void report(const std::string& line, int status) {
    status_ = worse(status_, status);
    if (json_) return;
    if (!quiet_) return write_text(line + "\n");
    if (status != kSuccess) say(line);
  }

  // Adds to the row of JSON.
  void report(const Verdict& verdict, nlohmann::ordered_json& row) {
    report(text(verdict), verdict.agrees() ? kSuccess : exit_status(Errc::mismatch));
    row["ok"] = verdict.agrees();
    for (const auto& [key, count] : verdict.counts) row[std::string(key)] = count;
    row["problem"] = verdict.difference;
  }

  int status() const { return status_; }

 private:
  bool json_;
  bool quiet_;
  int status_ = kSuccess;
};

Verdict check(const engine::EngineInfo& info, const SelftestOptions& options) {
  if (!info.available) throw Error(Errc::no_device, fmt::format("not available: {}", info.reason));
  WorkOptions work = options.work;
  work.engine = info.name;
  return check_engine(*make_engine(work, work.threads), options.rounds, options.seed);
}

// Returns the engine's row of JSON. An engine that is not there is a failure only if it was named.
nlohmann::ordered_json report_engine(const engine::EngineInfo& info, const SelftestOptions& options,
                                     Reporter& reporter) {
  nlohmann::ordered_json row{{"engine", info.name}, {"checked", true}};
  say_detail(fmt::format("{}: {} rounds from seed {}", info.name, options.rounds, options.seed));
  std::optional<Verdict> verdict;
  try {
    verdict = check(info, options);
  } catch (const Error& error) {
    const bool counts = info.available || options.work.engine != "auto";
    reporter.report(fmt::format("{}: {}", info.name, error.text()),
                    counts ? exit_status(error.code()) : kSuccess);
    row.update(
        {{"checked", false}, {"ok", false}, {"vectors", 0}, {"cross_checks", 0}, {"problem", error.text()}});
    return row;
  }
  reporter.report(*verdict, row);
  return row;
}

}  // namespace

int run_engines(const Arguments& arguments) {
  const bool anew = arguments.has("calibrate");
  const choice::Calibration measured = anew ? Calibrator().measure() : calibration();
  const Engines engines =
      engine::list();  // opens the driver, which the measurement of a start must not find open
  const choice::Calibration figures = complete(measured, engines);
  if (anew) save_calibration(figures);
  if (arguments.has("json")) {
    write_result(json(engines));
    return kSuccess;
  }
  write_text(table(engines));
  if (anew || loudness_of(arguments) == Loudness::verbose) write_text(calibration_text(figures));
  return kSuccess;
}

int run_selftest(const Arguments& arguments) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  const SelftestOptions options{number_value(arguments, "rounds", 1, 1'000'000'000, 1000),
                                number_value(arguments, "seed", 0, kAny, 1), work_options(arguments)};
  nlohmann::ordered_json result{
      {"version", kJsonVersion}, {"rounds", options.rounds}, {"seed", options.seed}};
  Reporter reporter(arguments);
  auto engines = nlohmann::ordered_json::array();
  for (const engine::EngineInfo& info : engines_to_check(options.work.engine))
    engines.push_back(report_engine(info, options, reporter));
  result["engines"] = std::move(engines);
  if (!arguments.has("engine")) {
    reporter.report(check_sealed(), result["sealed"]);
    reporter.report(check_spectral(options.work.threads), result["spectral"]);
  }
  if (arguments.has("json")) write_result(json_text(result));
  return reporter.status();
}

}  // namespace fugu::cli
