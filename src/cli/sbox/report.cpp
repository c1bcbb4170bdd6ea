// Runs the measurements that fugu sbox report was asked for.
#include "cli/sbox/report.hpp"

#include <algorithm>

#include "cli/process/console.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/sbox/equations.hpp"
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
                                     {"sidechannel", Group::sidechannel}};

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
  if (box.outputs() > spectral::kMaxOutputsOfAll) return degrees;
  degrees.components.emplace();
  const std::vector<std::int8_t> all = component_degrees(box, options.work);
  for (std::size_t b = 1; b < all.size(); ++b) ++(*degrees.components)[all[b]];
  return degrees;
}

Algebra algebra_of(const spectral::SBox& box, const ReportOptions& options) {
  Algebra algebra;
  for (int degree = 1; degree <= spectral::kMaxEquationDegree; ++degree) {
    if (has_equations(box, degree)) algebra.equations[degree - 1] = equations(box, degree);
  }
  if (box.inputs() <= kMaxImmunityInputs && box.outputs() <= kMaxImmunityInputs)
    algebra.immunities = component_immunities(box, options.work);
  return algebra;
}

}  // namespace

ReportOptions report_options(const Arguments& arguments) {
  const std::vector<Group> only = choice_list(arguments, "only", kGroups);
  ReportOptions options{.groups = {only.begin(), only.end()},
                        .exhaustive = arguments.has("exhaustive"),
                        .work = {static_cast<unsigned>(number_value(arguments, "threads", 1, 4096, 0))}};
  if (options.groups.empty()) {
    for (const auto& group : kGroups) options.groups.insert(group.value);
  }
  return options;
}

Report make_report(const NamedBox& named, const ReportOptions& options) {
  const spectral::SBox& box = named.box;
  const auto wanted = [&](Group group) { return options.groups.contains(group); };
  const bool all_components = box.outputs() <= spectral::kMaxOutputsOfAll;
  Report report{.name = named.name, .inputs = box.inputs(), .outputs = box.outputs()};
  if (wanted(Group::basic)) report.basic = spectral::basic(box);
  if (wanted(Group::differential)) report.differential = spectral::differential(box, options.work);
  if (wanted(Group::linear) || wanted(Group::components)) {
    report.coordinates = coordinate_nonlinearities(box);
    if (all_components) report.linear = spectral::linear(box, options.work);
  }
  if (wanted(Group::components) && all_components)
    report.autocorrelation = spectral::autocorrelation(box, options.work);
  if (wanted(Group::components) || wanted(Group::algebra)) report.degrees = degrees_of(box, options);
  if (wanted(Group::boomerang)) report.boomerang = spectral::boomerang(box, options.work);
  if (wanted(Group::algebra)) report.algebra = algebra_of(box, options);
  // Correlation immunity comes with the linear properties.
  if (wanted(Group::avalanche)) {
    report.avalanche = spectral::avalanche(box, options.work);
    if (all_components && !report.linear) report.linear = spectral::linear(box, options.work);
  }
  if (wanted(Group::structure)) report.structures = linear_structures(box, options.work);
  if (wanted(Group::sidechannel) && box.outputs() <= spectral::kMaxTransparencyOutputs)
    report.transparency = transparency_order(box, options.work);
  return report;
}

}  // namespace fugu::cli
