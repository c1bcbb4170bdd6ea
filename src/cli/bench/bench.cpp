// fugu bench
#include "cli/bench/cipher.hpp"
#include "cli/bench/plan.hpp"
#include "cli/bench/report.hpp"
#include "cli/bench/sealed.hpp"
#include "cli/bench/spectral.hpp"
#include "cli/bench/spectral_file.hpp"
#include "cli/commands.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"

namespace fugu::cli {
namespace {

bench::Measured measure(const bench::Plan& plan) {
  if (plan.has(bench::Scope::spectral)) return {bench::measure_spectral(plan), {}};
  if (plan.has(bench::Scope::spectral_file)) return {bench::measure_spectral_files(plan), {}};
  if (plan.has(bench::Scope::sealed)) return {bench::measure_sealed(plan), {}};
  return bench::measure_ciphers(plan);
}

}  // namespace

int run_bench(const Arguments& arguments) {
  const bench::Plan plan = bench::read_plan(arguments);
  bench::Measured measured = measure(plan);
  const bench::Report report{bench::describe_machine(measured.rows, measured.link),
                             bench::command_text(arguments), std::move(measured.rows)};
  if (arguments.has("json")) {
    write_result(bench::as_json(report));
  } else if (arguments.has("csv")) {
    write_result(bench::as_csv(report));
  } else {
    write_text(bench::as_text(report));
  }
  return kSuccess;
}

}  // namespace fugu::cli
