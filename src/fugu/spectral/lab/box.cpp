#include "fugu/spectral/lab/box.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/lab/anomalies.hpp"
#include "fugu/spectral/lab/batch.hpp"

namespace fugu::spectral::lab {
namespace {

using detail::once;

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

template <class T>
std::vector<std::uint32_t> widened_values(const std::byte* from, std::size_t count) {
  std::vector<std::uint32_t> values(count);
  for (std::uint32_t& value : values) {
    T narrow;  // the values in `from` may not be aligned
    std::memcpy(&narrow, from, sizeof(T));
    value = narrow;
    from += sizeof(T);
  }
  return values;
}

// work(i, box), a few boxes at a time.
template <class Work>
void for_each_box(const BoxArray& boxes, const SBoxOptions& options, Work work) {
  constexpr std::size_t kAtATime = 64;
  const spectral::detail::Workers workers(boxes.size() > 1 ? options.threads : 1, nullptr, options.stop);
  const Progress done = options.begin ? options.begin(boxes.size()) : Progress();
  workers.for_ranges(boxes.size(), kAtATime, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      spectral::detail::throw_if_stopped(options.stop);
      work(i, boxes[i]);
    }
    if (done) done(last - first);
  });
}

// The uniformity alone is much faster than all that the DDT shows.
bool is_uniformity(const BoxProperty& property) {
  return property.column == "du";
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
  if (!knows_gpu_ && options_.gpu) stream_ = options_.gpu();  // may throw each time
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

const Basic& Box::basic() {
  return once(basic_, [&] { return spectral::basic(values()); });
}

const Differential& Box::differential() {
  if (!differential_ && on_gpu()) autocorrelation();  // the GPU counts a row of differences for both at once
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

std::string names_on_gpu() {
  std::string text;
  const auto add = [&](std::string_view name) { text.append(text.empty() ? "" : ", ").append(name); };
  for (const auto& [group, name] : kGroups) {
    std::vector<std::string_view> there, here;
    for (const BoxProperty& row : box_properties())
      if (row.group == group && !row.column.empty()) (row.on_gpu ? there : here).push_back(row.column);
    if (there.size() <= here.size()) {
      std::ranges::for_each(there, add);
      continue;
    }
    add(name);
    for (const std::string_view column : here)
      text.append(column == here.front() ? " (not " : ", ")
          .append(column)
          .append(column == here.back() ? ")" : "");
  }
  return text;
}

BoxArray::BoxArray(int inputs, int outputs, std::size_t value_bytes, std::span<const std::byte> values)
    : inputs_(inputs), outputs_(outputs), value_bytes_(value_bytes), values_(values) {
  if (value_bytes != 1 && value_bytes != 2 && value_bytes != 4)
    throw Error(Errc::usage, "values of " + std::to_string(value_bytes) + " bytes: 1, 2 and 4 are possible");
  spectral::detail::require_within(1, kMaxInputs, inputs, "inputs");
  const std::size_t box_bytes = value_bytes << inputs;
  if (values.size() % box_bytes != 0)
    throw Error(Errc::usage, std::to_string(values.size()) + " bytes are not a whole number of boxes");
  count_ = values.size() / box_bytes;
}

SBox BoxArray::operator[](std::size_t i) const {
  const std::size_t size = std::size_t{1} << inputs_;
  const std::byte* const from = values_.data() + i * size * value_bytes_;
  if (value_bytes_ == 1) return {inputs_, outputs_, widened_values<std::uint8_t>(from, size)};
  if (value_bytes_ == 2) return {inputs_, outputs_, widened_values<std::uint16_t>(from, size)};
  return {inputs_, outputs_, widened_values<std::uint32_t>(from, size)};
}

std::vector<Value> values_of(const BoxArray& boxes, const BoxProperty& property, const SBoxOptions& options) {
  std::vector<Value> values(boxes.size());
  for_each_box(boxes, options, [&](std::size_t i, SBox box) {
    if (is_uniformity(property)) {
      values[i] = std::uint64_t{uniformity(box, std::numeric_limits<std::uint32_t>::max())};
    } else {
      Box session(std::move(box), {.work = {.threads = 1, .stop = options.stop}});
      values[i] = property.value(session);
    }
  });
  return values;
}

std::vector<std::uint8_t> uniformity_at_most(const BoxArray& boxes, std::uint32_t bound,
                                             const SBoxOptions& options) {
  std::vector<std::uint8_t> found(boxes.size());
  for_each_box(boxes, options,
               [&](std::size_t i, const SBox& box) { found[i] = uniformity(box, bound) <= bound ? 1 : 0; });
  return found;
}

}  // namespace fugu::spectral::lab
