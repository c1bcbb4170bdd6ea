// fugu selftest
#include <fmt/format.h>

#include <limits>

#include "cli/check/engine_check.hpp"
#include "cli/check/sealed_check.hpp"
#include "cli/check/spectral_check.hpp"
#include "cli/commands.hpp"
#include "cli/files/work_options.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/process/json.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

struct Plan {
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

Row check(const engine::EngineInfo& info, const Plan& plan) {
  Row row{info.name, {}, "", kSuccess};
  const bool forced = plan.work.engine != "auto";
  try {
    if (!info.available) {
      row.problem = fmt::format("not available: {}", info.reason);
      if (forced) row.status = exit_status(Errc::no_device);
      return row;
    }
    WorkOptions work = plan.work;
    work.engine = info.name;
    row.verdict = check_engine(*make_engine(work, work.threads), plan.rounds, plan.seed);
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

std::string text(const SealedVerdict& verdict) {
  if (!verdict.agrees()) return fmt::format("sealed files: MISMATCH: {}", verdict.difference);
  return fmt::format("sealed files: ok, {} of a second implementation, {} altered ones refused",
                     verdict.files, verdict.altered);
}

std::string text(const SpectralVerdict& verdict) {
  if (!verdict.agrees()) return fmt::format("spectra: MISMATCH: {}", verdict.difference);
  return fmt::format("spectra: ok, {} published values", verdict.values);
}

nlohmann::ordered_json json(const SealedVerdict& verdict) {
  return {{"ok", verdict.agrees()},
          {"files", verdict.files},
          {"altered", verdict.altered},
          {"problem", verdict.difference}};
}

nlohmann::ordered_json json(const SpectralVerdict& verdict) {
  return {{"ok", verdict.agrees()}, {"values", verdict.values}, {"problem", verdict.difference}};
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
class Teller {
 public:
  explicit Teller(const Arguments& arguments)
      : json_(arguments.has("json")), quiet_(loudness_of(arguments) == Loudness::quiet) {}

  void tell(const std::string& line, int status) {
    status_ = worse(status_, status);
    if (json_) return;
    if (!quiet_) return write_text(line + "\n");
    if (status != kSuccess) say(line);
  }

  template <class Verdict>
  nlohmann::ordered_json tell(const Verdict& verdict) {
    tell(text(verdict), verdict.agrees() ? kSuccess : exit_status(Errc::mismatch));
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
  const Plan plan{number_value(arguments, "rounds", 1, 1'000'000'000, 1000),
                  number_value(arguments, "seed", 0, kAny, 1), work_options(arguments)};
  nlohmann::ordered_json result{{"version", kJsonVersion}, {"rounds", plan.rounds}, {"seed", plan.seed}};
  Teller teller(arguments);
  auto engines = nlohmann::ordered_json::array();
  for (const engine::EngineInfo& info : engines_to_check(plan.work.engine)) {
    const Row row = check(info, plan);
    teller.tell(text(row), row.status);
    engines.push_back(json(row));
  }
  result["engines"] = std::move(engines);
  if (!arguments.has("engine")) {
    result["sealed"] = teller.tell(check_sealed());
    result["spectral"] = teller.tell(check_spectral(plan.work.threads));
  }
  if (arguments.has("json")) write_result(json_text(result));
  return teller.status();
}

}  // namespace fugu::cli
