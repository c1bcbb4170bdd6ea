// fugu selftest
#include <fmt/format.h>

#include <limits>

#include "cli/check/checks.hpp"
#include "cli/check/engine_check.hpp"
#include "cli/commands.hpp"
#include "cli/files/work_options.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/process/json.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

struct SelftestOptions {
  std::uint64_t rounds;
  std::uint64_t seed;
  WorkOptions work;
};

struct Row {
  std::string engine;
  EngineVerdict verdict;
  std::string problem;  // the reason why nothing could be checked
  int status = kSuccess;
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

Row check(const engine::EngineInfo& info, const SelftestOptions& options) {
  Row row{info.name, {}, "", kSuccess};
  const bool forced = options.work.engine != "auto";
  try {
    if (!info.available) {
      row.problem = fmt::format("not available: {}", info.reason);
      if (forced) row.status = exit_status(Errc::no_device);
      return row;
    }
    WorkOptions work = options.work;
    work.engine = info.name;
    row.verdict = check_engine(*make_engine(work, work.threads), options.rounds, options.seed);
    if (!row.verdict.agrees()) row.status = exit_status(Errc::mismatch);
  } catch (const Error& error) {
    row.problem = error.text();
    row.status = exit_status(error.code());
  }
  return row;
}

std::string text(const Row& row) {
  if (!row.problem.empty()) return fmt::format("{}: {}", row.engine, row.problem);
  if (!row.verdict.agrees()) return fmt::format("{}: MISMATCH: {}", row.engine, row.verdict.difference);
  return fmt::format("{}: ok, {} known-answer vectors, {} cross-checks against OpenSSL", row.engine,
                     row.verdict.vectors, row.verdict.cross_checks);
}

std::string text(const Verdict& verdict) {
  if (!verdict.agrees()) return fmt::format("{}: MISMATCH: {}", verdict.title, verdict.difference);
  return fmt::format("{}: ok, {}", verdict.title, verdict.counted);
}

nlohmann::ordered_json json(const Verdict& verdict) {
  nlohmann::ordered_json result{{"ok", verdict.agrees()}};
  for (const auto& [key, count] : verdict.counts) result[std::string(key)] = count;
  result["problem"] = verdict.difference;
  return result;
}

nlohmann::ordered_json json(const Row& row) {
  return {{"engine", row.engine},
          {"checked", row.problem.empty()},
          {"ok", row.problem.empty() && row.verdict.agrees()},
          {"vectors", row.verdict.vectors},
          {"cross_checks", row.verdict.cross_checks},
          {"problem", row.problem.empty() ? row.verdict.difference : row.problem}};
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

  nlohmann::ordered_json report(const Verdict& verdict) {
    report(text(verdict), verdict.agrees() ? kSuccess : exit_status(Errc::mismatch));
    return json(verdict);
  }

  int status() const { return status_; }

 private:
  bool json_;
  bool quiet_;
  int status_ = kSuccess;
};

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
    const Row row = check(info, options);
    reporter.report(text(row), row.status);
    engines.push_back(json(row));
  }
  result["engines"] = std::move(engines);
  if (!arguments.has("engine")) {
    result["sealed"] = reporter.report(check_sealed());
    result["spectral"] = reporter.report(check_spectral(options.work.threads));
  }
  if (arguments.has("json")) write_result(json_text(result));
  return reporter.status();
}

}  // namespace fugu::cli
