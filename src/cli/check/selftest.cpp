// fugu selftest
#include <fmt/format.h>

#include <limits>

#include "cli/check/checks.hpp"
#include "cli/commands.hpp"
#include "cli/files/work_options.hpp"
#include "cli/process/console.hpp"
#include "cli/process/json.hpp"

namespace fugu::cli {
namespace {

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

int run_selftest(const Arguments& arguments) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  const SelftestOptions options{number_value(arguments, "rounds", 1, 1'000'000'000, 1000),
                                number_value(arguments, "seed", 0, kAny, 1), work_options(arguments)};
  nlohmann::ordered_json result{
      {"version", kJsonVersion}, {"rounds", options.rounds}, {"seed", options.seed}};
  Reporter reporter(arguments);
  auto engines = nlohmann::ordered_json::array();
  for (const engine::EngineInfo& info : engines_to_check(options.work.engine)) {
    engines.push_back(report_engine(info, options, reporter));
  }
  result["engines"] = std::move(engines);
  if (!arguments.has("engine")) {
    reporter.report(check_sealed(), result["sealed"]);
    reporter.report(check_spectral(options.work.threads), result["spectral"]);
  }
  if (arguments.has("json")) write_result(json_text(result));
  return reporter.status();
}

}  // namespace fugu::cli
