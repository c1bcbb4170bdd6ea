// fugu bench
#include "cli/bench/plan.hpp"
#include "cli/bench/report.hpp"
#include "cli/commands.hpp"
#include "cli/process/console.hpp"

namespace fugu::cli {
namespace {

// Returns the rows of the link, if any.
std::vector<bench::Row> measure(const bench::Plan& plan, bench::Sampler& sampler) {
  if (!plan.has(bench::Scope::sealed)) return bench::measure_ciphers(plan, sampler);
  bench::measure_sealed(plan, sampler);
  return {};
}

}  // namespace

int run_bench(const Arguments& arguments) {
  const bench::Plan plan = bench::read_plan(arguments);
  bench::Sampler sampler{plan.runs, [](const std::string& what) { say_detail(what); }};
  const std::vector<bench::Row> link = measure(plan, sampler);
  const bench::Report report{bench::describe_machine(sampler.rows, link), bench::command_text(arguments),
                             std::move(sampler.rows)};
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
