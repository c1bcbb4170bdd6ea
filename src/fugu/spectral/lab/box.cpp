#include "fugu/spectral/lab/box.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/detail/threads.hpp"
#include "fugu/spectral/lab/anomalies.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/avalanche.hpp"

namespace fugu::spectral::lab {
namespace {

using detail::once;

constexpr double kGpuSecondsPerMask = 4e-11;  // counted from the kernel's instructions

// Up to 16 bits, tables are counted in bytes and 16-bit integers.
bool is_narrow(int inputs, int outputs) {
  return std::max(inputs, outputs) <= 16;
}

// On one core of an EPYC, in its worst hours; boomerang: of a random permutation.
double seconds_of(Computation computation, int inputs, int outputs) {
  const double size = std::exp2(inputs);
  const double table = outputs <= kMaxOutputsOfAll ? size * std::exp2(outputs) : 0;
  const bool narrow = is_narrow(inputs, outputs);
  switch (computation) {
    case Computation::differential:
      return size * size * (narrow ? 4e-10 : 2e-9);
    case Computation::linear:
    case Computation::all_components:
    case Computation::single_components:
      return table * (narrow ? 6e-10 : 2e-9);
    case Computation::autocorrelation:
      return table * (narrow ? 6e-10 : 2e-9);
    case Computation::boomerang:
      return size * size * (narrow ? 2e-9 : 1.2e-8);
    case Computation::transparency:
      return outputs <= kMaxTransparencyOutputs ? table * 1e-10 : 0;
    case Computation::revised_transparency:
      return outputs <= kMaxTransparencyOutputs ? table * outputs * 5e-10 : 0;
    case Computation::family:
      return inputs <= kMaxFamilyBits ? size * size * size * 1e-9 : 0;
    case Computation::second_order:
      return outputs <= kMaxOutputsOfAll ? std::exp2(outputs) * second_order_seconds(inputs) : 0;
    case Computation::c_differential:
      return inputs <= kMaxCDifferentialBits ? size * size * size * 1e-9 : 0;
    case Computation::ranks:
    case Computation::ortho_derivative:
      return inputs <= kMaxRankInputs ? rank_seconds(inputs) : 0;
    default:
      return 0;
  }
}

struct ComputationSteps {
  Computation computation;
  std::string_view what;
  std::string_view unit;
};
constexpr ComputationSteps kLongComputations[] = {
    {Computation::differential, "the rows of the difference distribution table", "rows"},
    {Computation::linear, "the spectra of all components", "steps"},
    {Computation::autocorrelation, "the autocorrelations", "steps"},
    {Computation::boomerang, "the boomerang tables", "rows"},
    {Computation::exhaustive, "all 2^{}-1 components", "masks"},
    {Computation::transparency, "the sign vectors of the transparency order", "vectors"},
    {Computation::revised_transparency, "the sign vectors of the revised transparency order", "vectors"},
    {Computation::second_order, "second-order nonlinearities", "components"},
    {Computation::c_differential, "c-differential uniformities", "multipliers"},
    {Computation::ranks, "the rows of a rank", "rows"}};

std::vector<std::uint32_t> coordinate_masks(int outputs) {
  std::vector<std::uint32_t> masks;
  for (int j = 0; j < outputs; ++j) masks.push_back(std::uint32_t{1} << j);
  return masks;
}

std::vector<std::uint32_t> pair_masks(int outputs) {
  std::vector<std::uint32_t> masks;
  for (int k = 1; k < outputs; ++k)
    for (int j = 0; j < k; ++j) masks.push_back(std::uint32_t{1} << j | std::uint32_t{1} << k);
  return masks;
}

// The sum of delta(a,b)^2 over all b and a, a != 0, from some rows: an estimate must not take long itself.
double sum_of_squares(const SBox& box) {
  constexpr std::size_t kRows = 16;
  const std::size_t rows = box.size() - 1;
  const std::size_t step = rows / kRows + 1;
  double sum = 0;
  for (std::size_t a = 1; a <= rows; a += step)
    for (const DdtEntry& entry : ddt_entries(box, static_cast<std::uint32_t>(a)))
      sum += static_cast<double>(entry.count) * entry.count;
  return sum * static_cast<double>(rows) / static_cast<double>((rows + step - 1) / step);
}

}  // namespace

Box::Box(SBox values, BoxOptions options)
    : options_(std::move(options)),
      inputs_(values.inputs()),
      outputs_(values.outputs()),
      values_(std::move(values)) {}

Box::Box(cuda::DeviceBox values, BoxOptions options)
    : options_(std::move(options)),
      inputs_(values.inputs()),
      outputs_(values.outputs()),
      stream_(values.stream()),
      knows_gpu_(true),
      there_(std::move(values)) {}

const SBox& Box::values() {
  return once(values_, [&] { return there_->to_host(); });
}

bool Box::has_gpu() {
  if (!knows_gpu_ && options_.gpu) stream_ = options_.gpu();  // may throw, each time
  knows_gpu_ = true;
  return stream_.has_value();
}

const cuda::DeviceBox& Box::there() {
  if (!there_) there_.emplace(values(), *stream_);
  return *there_;
}

bool Box::on_gpu() {
  return has_gpu() && cuda::has_table_kernels(outputs_);
}

template <class There, class Here>
auto Box::measured(std::string_view what, bool suits, There there, Here here) {
  const bool on_gpu = has_gpu() && suits;
  if (has_gpu() && options_.says) options_.says(what, on_gpu);
  return on_gpu ? there(this->there()) : here(values());
}

SBoxOptions Box::work(Computation computation) {
  SBoxOptions work = options_.work;
  if (options_.begin)
    work.begin = [this, computation](std::uint64_t steps) {
      return options_.begin(*this, computation, steps);
    };
  return work;
}

bool Box::has(Computation computation) const {
  switch (computation) {
    case Computation::linear:
    case Computation::autocorrelation:
    case Computation::component_degrees:
      return has_components();
    case Computation::all_components:
      return has_components() || uses_exhaustive();
    case Computation::exhaustive:
      return inputs_ <= kMaxExhaustiveInputs;
    case Computation::immunities:
      return std::max(inputs_, outputs_) <= kMaxImmunityBits;
    case Computation::transparency:
      return outputs_ <= kMaxTransparencyOutputs;
    case Computation::revised_transparency:
      return outputs_ <= kMaxTransparencyOutputs &&
             (options_.exhaustive || inputs_ + outputs_ <= kMaxQuickRevisedBits);
    case Computation::family:
      return inputs_ == outputs_ && inputs_ <= kMaxFamilyBits;
    case Computation::second_order:
      return has_components() && inputs_ <= kMaxSecondOrderVariables;
    case Computation::c_differential:
      return inputs_ == outputs_ && inputs_ <= kMaxCDifferentialBits;
    case Computation::ranks:
      return inputs_ == outputs_ && inputs_ <= kMaxRankInputs;
    default:
      return true;
  }
}

double Box::seconds(Computation computation) {
  const double seconds = seconds_of(computation, inputs_, outputs_);
  switch (computation) {
    case Computation::differential:
    case Computation::linear:
    case Computation::all_components:
    case Computation::single_components:
    case Computation::autocorrelation:
      return on_gpu() ? 0 : seconds;
    case Computation::exhaustive:
      return has_gpu() && cuda::has_profile_kernels(inputs_, outputs_)
                 ? kGpuSecondsPerMask * std::exp2(outputs_)
                 : exhaustive_seconds(values());
    case Computation::transparency:
      return has_gpu() && cuda::has_transparency_kernels(outputs_) ? 0 : seconds;
    case Computation::boomerang:
      return boomerang_seconds();
    default:
      return seconds;
  }
}

std::optional<LongComputation> Box::long_computation(Computation computation) {
  const auto* const steps = std::ranges::find(kLongComputations, computation, &ComputationSteps::computation);
  if (steps == std::end(kLongComputations)) return std::nullopt;
  const bool there =
      computation == Computation::exhaustive && has_gpu() && cuda::has_profile_kernels(inputs_, outputs_);
  const bool alone = there || computation == Computation::ranks;
  std::string what(steps->what);
  if (const std::size_t at = what.find("{}"); at != std::string::npos)
    what.replace(at, 2, std::to_string(outputs_));
  return LongComputation{
      std::move(what), steps->unit,
      seconds(computation) / (alone ? 1 : spectral::detail::threads_of(options_.work.threads))};
}

// The boomerang tables are counted from the pairs of pairs {x, x + a} with one output difference: the sum of
// delta^2 / 8. An H200 takes 34 ms for a random permutation of 16 bits, 4.7 s for one of 18.
double Box::boomerang_seconds() {
  constexpr double kEnough = 600;  // the rows alone decide
  const bool on_gpu = has_gpu() && cuda::has_boomerang_kernels(inputs_, outputs_) && basic().permutation;
  const double share = on_gpu ? 0.02 : is_narrow(inputs_, outputs_) ? 1.0 / 6 : 1;
  const double rows = share * 8e-9 * static_cast<double>(size()) * static_cast<double>(size());
  if (rows > kEnough) return rows;
  return rows + share * 1e-8 * once(sum_of_squares_, [&] { return sum_of_squares(values()); }) / 8;
}

const Basic& Box::basic() {
  return once(basic_, [&] { return spectral::basic(values()); });
}

const Differential& Box::differential() {
  if (!differential_ && on_gpu()) autocorrelation();  // a GPU counts each row of differences for both
  return once(differential_, [&] {
    if (has_gpu() && options_.says) options_.says("difference distribution table", false);
    return spectral::differential(values(), work(Computation::differential));
  });
}

const Linear& Box::linear() {
  return once(linear_, [&] {
    return measured(
        "spectra of components", on_gpu(),
        [&](const auto& box) { return cuda::linear(box, options_.work.stop); },
        [&](const SBox& box) { return spectral::linear(box, work(Computation::linear)); });
  });
}

const Autocorrelation& Box::autocorrelation() {
  return once(autocorrelation_, [&] {
    return measured(
        on_gpu() ? "difference distribution table and autocorrelation" : "autocorrelation", on_gpu(),
        [&](const auto& box) {
          cuda::DifferenceTables tables = cuda::difference_tables(box, options_.work.stop);
          differential_ = std::move(tables.differential);
          return std::move(tables.autocorrelation);
        },
        [&](const SBox& box) { return spectral::autocorrelation(box, work(Computation::autocorrelation)); });
  });
}

const std::vector<std::int8_t>& Box::component_degrees() {
  return once(component_degrees_, [&] {
    return measured(
        "degrees of components", on_gpu(), [](const auto& box) { return cuda::component_degrees(box); },
        [&](const SBox& box) { return spectral::component_degrees(box, options_.work); });
  });
}

const Boomerang& Box::boomerang() {
  return once(boomerang_, [&] {
    std::optional<Boomerang> found;
    if (has_gpu() && cuda::has_boomerang_kernels(inputs_, outputs_))
      found = cuda::boomerang(there(), options_.work.stop);
    return measured(
        "boomerang tables", found.has_value(), [&](const auto&) { return std::move(*found); },
        [&](const SBox& box) { return spectral::boomerang(box, work(Computation::boomerang)); });
  });
}

const std::optional<BoomerangFamily>& Box::family() {
  return once(family_, [&] {
    return basic().permutation ? std::optional(boomerang_family(values(), options_.work)) : std::nullopt;
  });
}

const ConfusionCoefficients& Box::confusion() {
  return once(confusion_, [&] { return confusion_coefficients(values(), options_.work); });
}

const Avalanche& Box::avalanche() {
  return once(avalanche_, [&] { return spectral::avalanche(values(), options_.work); });
}

const LinearStructures& Box::structures() {
  return once(structures_, [&] { return linear_structures(values(), options_.work); });
}

const ExhaustiveProfile& Box::exhaustive() {
  return once(exhaustive_, [&] {
    return measured(
        "all components", cuda::has_profile_kernels(inputs_, outputs_),
        [&](const auto& box) {
          const Progress shown =
              options_.begin ? options_.begin(*this, Computation::exhaustive, last_mask() + 1) : Progress();
          return cuda::exhaustive_components(box);
        },
        [&](const SBox& box) { return exhaustive_components(box, work(Computation::exhaustive)); });
  });
}

bool Box::uses_exhaustive() const {
  return !has_components() && options_.exhaustive && inputs_ <= kMaxExhaustiveInputs;
}

std::uint64_t Box::all_linearity() {
  return uses_exhaustive() ? exhaustive().linearity : linear().linearity;
}

std::uint64_t Box::all_nonlinearity() {
  return uses_exhaustive() ? static_cast<std::uint64_t>(exhaustive().nonlinearities.begin()->first)
                           : linear().nonlinearity;
}

Histogram Box::all_nonlinearities() {
  if (uses_exhaustive()) return exhaustive().nonlinearities;
  Histogram histogram;
  const std::vector<LinearComponent>& components = linear().components;
  for (std::size_t b = 1; b < components.size(); ++b)
    ++histogram[static_cast<std::int64_t>((size() - components[b].largest) / 2)];
  return histogram;
}

// A GPU has those of all components anyway.
Numbers Box::nonlinearities_of(const std::vector<std::uint32_t>& masks) {
  Numbers found;
  for (const std::uint32_t mask : masks) {
    found.push_back(
        on_gpu() ? (size() - linear().components[mask].largest) / 2
                 : summarize_spectrum(component(values(), mask), {.threads = 1, .stop = options_.work.stop})
                       .nonlinearity);
  }
  return found;
}

const Numbers& Box::coordinates() {
  return once(coordinates_, [&] { return nonlinearities_of(coordinate_masks(outputs_)); });
}

const Numbers& Box::pair_nonlinearities() {
  return once(pair_nonlinearities_, [&] {
    return on_gpu() ? nonlinearities_of(pair_masks(outputs_)) : avalanche().pair_nonlinearities;
  });
}

int Box::degree() {
  if (!on_gpu()) return spectral::degree(values());
  int largest = -1;
  for (const std::uint32_t mask : coordinate_masks(outputs_))
    largest = std::max<int>(largest, component_degrees()[mask]);
  return largest;
}

double Box::transparency_order() {
  return measured(
      "transparency order", cuda::has_transparency_kernels(outputs_),
      [](const auto& box) { return cuda::transparency_order(box); },
      [&](const SBox& box) { return spectral::transparency_order(box, work(Computation::transparency)); });
}

std::uint64_t Box::second_order_nonlinearity() {
  return spectral::second_order_nonlinearity(values(), work(Computation::second_order));
}

Numbers Box::c_differential() {
  const std::uint32_t polynomial = options_.polynomial != 0 ? options_.polynomial : usual_polynomial(inputs_);
  const BinaryField field(inputs_, polynomial);
  const auto found = c_differential_uniformity(values(), field, work(Computation::c_differential));
  return {found.begin(), found.end()};
}

std::uint64_t Box::gamma_rank() {
  return spectral::gamma_rank(values(), work(Computation::ranks));
}

std::uint64_t Box::delta_rank() {
  return spectral::delta_rank(values(), work(Computation::ranks));
}

Box* Box::ortho_derivative() {
  once(ortho_, [&] {
    std::vector<Box> found;
    if (inputs_ == outputs_)
      if (std::optional<SBox> ortho = spectral::ortho_derivative(values()))
        found.emplace_back(*std::move(ortho), options_);
    return found;
  });
  return ortho_->empty() ? nullptr : &ortho_->front();
}

bool Box::has_anomalies() {
  return inputs_ >= 2 && inputs_ <= kMaxAnomalyBits && basic().permutation;
}

std::vector<std::string_view> report_names() {
  std::vector<std::string_view> names;
  for (const auto& [group, name] : kGroups) names.push_back(name);
  for (const BoxProperty& row : box_properties())
    if (!row.column.empty()) names.push_back(row.column);
  return names;
}

double core_seconds(int inputs, int outputs, std::span<const Group> groups) {
  if (!cuda::has_table_kernels(outputs)) return 0;
  constexpr std::pair<Group, Computation> kLongest[] = {{Group::differential, Computation::differential},
                                                        {Group::linear, Computation::linear},
                                                        {Group::components, Computation::autocorrelation},
                                                        {Group::boomerang, Computation::boomerang},
                                                        {Group::sidechannel, Computation::transparency}};
  // Whole reports of 14, 15 and 16 inputs and outputs took 0.17, 0.6 and 2.0 s on 16 cores of an H100's host,
  // by the estimates half as long.
  constexpr double kOfEstimate = 2.1;
  double seconds = 0;
  for (const auto& [group, computation] : kLongest)
    if (std::ranges::find(groups, group) != groups.end()) seconds += seconds_of(computation, inputs, outputs);
  return kOfEstimate * seconds;
}

}  // namespace fugu::spectral::lab
