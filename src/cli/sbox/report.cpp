// Runs the measurements requested of fugu sbox report.
#include "cli/sbox/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cli/process/console.hpp"
#include "cli/sbox/components.hpp"
#include "cli/sbox/engine/long_work.hpp"
#include "cli/sbox/fields.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/sbox/equations.hpp"
#include "fugu/spectral/sbox/invariants.hpp"
#include "fugu/spectral/sbox/transparency.hpp"

namespace fugu::cli {
namespace {

constexpr Choice<Group> kGroups[] = {{"basic", Group::basic},
                                     {"differential", Group::differential},
                                     {"linear", Group::linear},
                                     {"components", Group::components},
                                     {"boomerang", Group::boomerang},
                                     {"algebra", Group::algebra},
                                     {"avalanche", Group::avalanche},
                                     {"structure", Group::structure},
                                     {"sidechannel", Group::sidechannel},
                                     {"ccz", Group::ccz}};

// The immunities of the components are computed up to this many inputs.
constexpr int kMaxImmunityInputs = 10;

CoordinateNonlinearities coordinate_nonlinearities(const spectral::SBox& box) {
  CoordinateNonlinearities values;
  for (int j = 0; j < box.outputs(); ++j) {
    const spectral::TruthTable function = component(box, std::uint32_t{1} << j);
    values.push_back(spectral::summarize_spectrum(function, {.threads = 1}).nonlinearity);
  }
  return values;
}

Degrees degrees_of(const spectral::SBox& box, const ReportOptions& options) {
  Degrees degrees{.box = degree(box), .inverse = {}};
  if (spectral::basic(box).permutation) degrees.inverse = degree(inverse(box));
  if (box.outputs() > spectral::kMaxOutputsOfAll || !options.groups.contains(Group::components))
    return degrees;
  degrees.components.emplace();
  const std::vector<std::int8_t> all = options.tables.component_degrees(box);
  for (std::size_t b = 1; b < all.size(); ++b) ++(*degrees.components)[all[b]];
  return degrees;
}

Algebra algebra_of(const spectral::SBox& box, const ReportOptions& options) {
  Algebra algebra;
  for (int degree = 1; degree <= spectral::kMaxEquationDegree; ++degree) {
    if (options.wants(Group::algebra, fmt::format("eq{}", degree)) && has_equations(box, degree))
      algebra.equations[degree - 1] = equations(box, degree);
  }
  if (options.wants(Group::algebra, "ai_dist") && box.inputs() <= kMaxImmunityInputs &&
      box.outputs() <= kMaxImmunityInputs)
    algebra.immunities = component_immunities(box, options.work);
  return algebra;
}

// Work of more than this on one core is left out without --exhaustive: a report of 16 inputs and outputs is
// not.
constexpr double kAskedSeconds = 60;

// The boomerang tables are counted from the pairs of pairs {x, x + a} with one output difference: the sum of
// delta^2 / 8. An H200 takes 34 ms for a random permutation of 16 bits, 4.7 s for one of 18.
double boomerang_seconds(const spectral::SBox& box, const ReportOptions& options, const Report& report) {
  const double share = options.tables.boomerang_on_gpu(box) ? 0.02 : 1;
  const double rows = share * 8e-9 * static_cast<double>(box.size()) * static_cast<double>(box.size());
  if (rows > kAskedSeconds) return rows;
  const spectral::Histogram ddt =
      report.differential ? report.differential->ddt : options.tables.differential(box).ddt;
  double pairs = 0;
  for (const auto& [value, count] : ddt)
    pairs += static_cast<double>(value) * static_cast<double>(value) * static_cast<double>(count) / 8;
  return rows + share * 1e-8 * pairs;
}

// Approximate seconds on one core, or on the named GPU; 0: negligible.
double seconds_of(Group group, const spectral::SBox& box, const ReportOptions& options,
                  const Report& report) {
  const auto size = static_cast<double>(box.size());
  const bool all_components = box.outputs() <= spectral::kMaxOutputsOfAll;
  const double table = all_components ? size * std::exp2(box.outputs()) : 0;
  const auto unless_on_gpu = [&](double seconds) { return options.tables.on_gpu(box) ? 0 : seconds; };
  switch (group) {
    case Group::differential:
      return unless_on_gpu(size * size * 2e-9);
    case Group::linear:
    case Group::avalanche:
      return unless_on_gpu(table * 4e-9);
    case Group::components:
      return unless_on_gpu(table * 1e-8);
    case Group::boomerang:
      return boomerang_seconds(box, options, report);
    case Group::sidechannel:
      return box.outputs() > spectral::kMaxTransparencyOutputs || options.tables.transparency_on_gpu(box)
                 ? 0
                 : table * 5e-10;
    case Group::ccz:
      return box.inputs() > spectral::kMaxRankInputs ? 0 : spectral::rank_seconds(box.inputs());
    default:
      return 0;
  }
}

Group group_of(std::string_view word) {
  std::vector<std::string_view> words;
  for (const auto& group : kGroups) {
    if (group.word == word) return group.value;
    words.push_back(group.word);
  }
  throw Error(Errc::usage, fmt::format("--only takes {}, or names of fields, not '{}'",
                                       fmt::join(words, ", "), printable(word)));
}

std::optional<Group> group_of_field(std::string_view name) {
  for (const auto& group : kGroups) {
    const std::vector<std::string_view> names = field_names(group.value);
    if (std::ranges::find(names, name) != names.end()) return group.value;
  }
  return std::nullopt;
}

void measure_components(const spectral::SBox& box, const ReportOptions& options, Report& report) {
  if (!report.degrees) report.degrees = degrees_of(box, options);
  if (box.outputs() > spectral::kMaxOutputsOfAll) return;
  if (!report.linear) report.linear = options.tables.linear(box);
  if (!report.autocorrelation) report.autocorrelation = options.tables.autocorrelation(box);
}

// If a GPU also measures the components, their autocorrelation comes with the rows.
void measure_differential(const spectral::SBox& box, const ReportOptions& options, Report& report) {
  if (options.tables.on_gpu(box) && options.groups.contains(Group::components)) {
    std::tie(report.differential, report.autocorrelation) = options.tables.difference_tables(box);
  } else {
    report.differential = options.tables.differential(box);
  }
}

void measure_linear(const spectral::SBox& box, const ReportOptions& options, const Arguments& arguments,
                    Report& report) {
  report.coordinates = coordinate_nonlinearities(box);
  if (box.outputs() <= spectral::kMaxOutputsOfAll) {
    report.linear = options.tables.linear(box);
  } else if (options.exhaustive && box.inputs() <= spectral::kMaxExhaustiveInputs) {
    report.exhaustive = run_exhaustive(box, arguments);
  }
}

// Correlation immunity comes with the linear properties.
void measure_avalanche(const spectral::SBox& box, const ReportOptions& options, Report& report) {
  report.avalanche = spectral::avalanche(box, options.work);
  if (box.outputs() <= spectral::kMaxOutputsOfAll && !report.linear)
    report.linear = options.tables.linear(box);
}

Ccz ccz_of(const spectral::SBox& box, const ReportOptions& options, const Arguments& arguments) {
  Ccz ccz;
  if (box.inputs() != box.outputs()) return ccz;
  if (box.inputs() <= spectral::kMaxRankInputs) {
    LongWork work(arguments, fmt::format("ranks for {} inputs", box.inputs()),
                  std::uint64_t{2} << 2 * box.inputs(), spectral::rank_seconds(box.inputs()), "rows");
    const auto done = [&](std::uint64_t rows) { work.advance(rows); };
    ccz.gamma_rank = spectral::gamma_rank(box, options.work, done);
    ccz.delta_rank = spectral::delta_rank(box, options.work, done);
  }
  if (const auto ortho = spectral::ortho_derivative(box)) {
    ccz.ortho_ddt = options.tables.differential(*ortho).ddt;
    ccz.ortho_walsh = options.tables.linear(*ortho).walsh;
  }
  return ccz;
}

void measure(Group group, const spectral::SBox& box, const ReportOptions& options, const Arguments& arguments,
             Report& report) {
  switch (group) {
    case Group::basic:
      report.basic = spectral::basic(box);
      break;
    case Group::differential:
      measure_differential(box, options, report);
      break;
    case Group::linear:
      measure_linear(box, options, arguments, report);
      break;
    case Group::components:
      measure_components(box, options, report);
      break;
    case Group::boomerang:
      report.boomerang = options.tables.boomerang(box);
      break;
    case Group::algebra:
      if (!report.degrees) report.degrees = degrees_of(box, options);
      report.algebra = algebra_of(box, options);
      break;
    case Group::avalanche:
      measure_avalanche(box, options, report);
      break;
    case Group::structure:
      report.structures = linear_structures(box, options.work);
      if (loudness_of(arguments) == Loudness::verbose)
        report.listed_structures = list_linear_structures(box, kMostListedStructures);
      break;
    case Group::ccz:
      report.ccz = ccz_of(box, options, arguments);
      break;
    case Group::sidechannel:
      if (box.outputs() <= spectral::kMaxTransparencyOutputs)
        report.transparency = options.tables.transparency_order(box);
  }
}

}  // namespace

std::string_view group_name(Group group) {
  return std::ranges::find(kGroups, group, &Choice<Group>::value)->word;
}

ReportOptions report_options(const Arguments& arguments) {
  ReportOptions options{.groups = {},
                        .whole = {},
                        .fields = {},
                        .exhaustive = arguments.has("exhaustive"),
                        .work = {thread_count(arguments)},
                        .tables = TableEngine(arguments)};
  for (const std::string& item : list_value(arguments, "only")) {
    if (const std::optional<Group> group = group_of_field(item)) {
      options.groups.insert(*group);
      options.fields.insert(item);
    } else {
      options.whole.insert(group_of(item));
    }
  }
  if (options.groups.empty() && options.whole.empty()) {
    for (const auto& group : kGroups) {
      if (group.value != Group::ccz) options.whole.insert(group.value);
    }
  }
  options.groups.insert(options.whole.begin(), options.whole.end());
  return options;
}

ReportOptions on_one_thread(ReportOptions options) {
  options.work.threads = 1;
  options.tables.use_threads(1);
  return options;
}

void choose_engine(const spectral::SBox& box, ReportOptions& options) {
  if (!spectral::cuda::has_table_kernels(box.outputs())) return;
  // Whole reports of 14, 15 and 16 inputs and outputs took 0.17, 0.6 and 2.0 s on 16 cores of an H100's host,
  // by the estimates three to four times as long.
  constexpr double kOfEstimate = 0.27;
  double seconds = 0;
  for (const Group group : {Group::differential, Group::linear, Group::components, Group::sidechannel}) {
    if (options.groups.contains(group)) seconds += seconds_of(group, box, options, {});
  }
  if (options.groups.contains(Group::boomerang))  // measured on a random permutation, without its pairs
    seconds += 1.2e-8 * static_cast<double>(box.size()) * static_cast<double>(box.size());
  options.tables.choose(kOfEstimate * seconds / options.work.threads);
}

Report make_report(const NamedBox& named, const ReportOptions& options, const Arguments& arguments) {
  Report report{.name = named.name,
                .inputs = named.box.inputs(),
                .outputs = named.box.outputs(),
                .permutation = spectral::basic(named.box).permutation};
  for (const Group group : options.groups) {
    const double seconds = seconds_of(group, named.box, options, report);
    if (seconds > kAskedSeconds && !options.exhaustive) {
      report.left_out[group] = seconds;
    } else {
      if (seconds > kAskedSeconds && group != Group::ccz)  // which shows progress
        say_note(fmt::format("{} takes {} on one core", group_name(group), estimate_text(seconds)));
      measure(group, named.box, options, arguments, report);
    }
  }
  return report;
}

}  // namespace fugu::cli
