// S-boxes: fugu.SBox holds one of these.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/anomalies.hpp"
#include "fugu/spectral/sbox/autocorrelation.hpp"
#include "fugu/spectral/sbox/avalanche.hpp"
#include "fugu/spectral/sbox/basic.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/differential.hpp"
#include "fugu/spectral/sbox/equations.hpp"
#include "fugu/spectral/sbox/exhaustive.hpp"
#include "fugu/spectral/sbox/invariants.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/spectral/sbox/named.hpp"
#include "fugu/spectral/sbox/transparency.hpp"
#include "fugu/spectral/sbox/univariate.hpp"
#include "fugu/threads/processors.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "python/extension/bind.hpp"
#include "python/extension/contexts.hpp"
#include "python/extension/gpu_array.hpp"
#include "python/extension/host_buffer.hpp"
#include "python/extension/results.hpp"

namespace fugu::python {
namespace {

using spectral::SBox;
using spectral::SBoxOptions;

SBox box_of(nb::handle object, int inputs, int outputs) {
  const HostBuffer buffer(object, Access::read);
  const std::span values = buffer.values<const std::uint32_t>();
  return {inputs, outputs, {values.begin(), values.end()}};
}

int usual_outputs(int expected, nb::handle object) {
  return spectral::usual_outputs(expected, HostBuffer(object, Access::read).values<const std::uint32_t>());
}

void write_values(const SBox& box, nb::handle out_object) {
  const HostBuffer out(out_object, Access::write);
  std::ranges::copy(box.values(), out.values<std::uint32_t>().begin());
}

// Every measurement may take long for some box.
template <auto measure>
auto measured(const SBox& box) {
  const std::uint64_t entries = box.size() << std::min(box.outputs(), box.inputs());
  return result_of(entries,
                   [&](const std::stop_token& stop) { return measure(box, SBoxOptions{.stop = stop}); });
}

template <auto measure>
auto long_measured(const SBox& box) {
  return result_of(kShortValues + 1,
                   [&](const std::stop_token& stop) { return measure(box, SBoxOptions{.stop = stop}); });
}

std::uint64_t equations_of(const SBox& box, int degree) {
  return result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    return spectral::equations(box, degree, {.stop = stop});
  });
}

std::uint64_t gamma_rank_of(const SBox& box, const SBoxOptions& options) {
  return spectral::gamma_rank(box, options);
}
std::uint64_t delta_rank_of(const SBox& box, const SBoxOptions& options) {
  return spectral::delta_rank(box, options);
}

spectral::Autocorrelation autocorrelation_of(const SBox& box, const SBoxOptions& options) {
  return spectral::autocorrelation(box, options);
}

spectral::ExhaustiveProfile exhaustive_of(const SBox& box, const SBoxOptions& options) {
  return spectral::exhaustive_components(box, options);
}

// Nonlinearities of y_0, y_1, ...
std::vector<std::uint64_t> coordinate_nonlinearities(const SBox& box, const SBoxOptions& options) {
  std::vector<std::uint64_t> values;
  for (int j = 0; j < box.outputs(); ++j) {
    const spectral::TruthTable function = component(box, std::uint32_t{1} << j);
    values.push_back(
        spectral::summarize_spectrum(function, {.threads = 1, .stop = options.stop}).nonlinearity);
  }
  return values;
}

using FillRow = std::function<void(const SBox&, std::uint32_t, std::span<std::int32_t>)>;

FillRow row_filler(const std::string& table) {
  if (table == "ddt") return spectral::ddt_row;
  if (table == "lat") return spectral::lat_row;
  if (table == "act") return spectral::autocorrelation_row;
  if (table == "bct") return spectral::bct_row;
  if (table == "fbct") return spectral::fbct_row;
  throw Error(Errc::usage, "no table '" + table + "'");
}

// Row a is the input difference or mask first + a.
void write_table(const SBox& box, const std::string& table, std::uint64_t first, nb::handle out_object) {
  const HostBuffer out(out_object, Access::write);
  const FillRow fill = row_filler(table);
  const std::span values = out.values<std::int32_t>();
  const std::size_t columns = out.columns();
  run(values.size(), [&](const std::stop_token& stop) {
    threads::ThreadPool pool(values.size() > kShortValues ? threads::usable_processors() : 1);
    pool.for_each(values.size() / columns, [&](std::size_t row) {
      if (stop.stop_requested()) throw Error(Errc::interrupted, "interrupted");
      fill(box, static_cast<std::uint32_t>(first + row), values.subspan(row * columns, columns));
    });
  });
}

// b -> delta(a,b) for nonzero entries.
std::map<std::uint32_t, std::uint32_t> ddt_row(const SBox& box, std::uint32_t a) {
  std::map<std::uint32_t, std::uint32_t> row;
  for (const auto& [b, count] : ddt_entries(box, a)) row.emplace(b, count);
  return row;
}

using BoxNameTuple = std::tuple<std::string_view, std::string_view, std::string_view>;

std::vector<BoxNameTuple> box_names() {
  std::vector<BoxNameTuple> names;
  for (const spectral::BoxName& row : spectral::box_names())
    names.emplace_back(row.name, row.size, row.origin);
  return names;
}

void bind_box(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<SBox>(module, "SBox")
      .def_static("of_values", box_of, "values"_a, "inputs"_a, "outputs"_a)
      .def_prop_ro("inputs", &SBox::inputs)
      .def_prop_ro("outputs", &SBox::outputs)
      .def(
          "is_equal", [](const SBox& box, const SBox& other) { return box == other; }, "other"_a)
      .def("write_values", write_values, "out"_a)
      .def("write_table", write_table, "table"_a, "first"_a, "out"_a)
      .def("ddt_row", ddt_row, "a"_a)
      .def("component", spectral::component, "mask"_a)
      .def("derivative", spectral::derivative, "a"_a)
      .def("inverse", spectral::inverse)
      .def(
          "univariate",
          [](const SBox& box, std::uint32_t polynomial) {
            return spectral::univariate(box, spectral::BinaryField(box.inputs(), polynomial));
          },
          "polynomial"_a)
      .def("basic", spectral::basic)
      .def("differential", measured<spectral::differential>)
      .def("linear", measured<spectral::linear>)
      .def("coordinate_nonlinearities", measured<coordinate_nonlinearities>)
      .def("exhaustive", long_measured<exhaustive_of>)
      .def("autocorrelation", measured<autocorrelation_of>)
      .def("boomerang", long_measured<spectral::boomerang>)
      .def("degree", spectral::degree)
      .def("component_degrees", measured<spectral::component_degrees>)
      .def("has_equations", spectral::has_equations, "degree"_a)
      .def("equations", equations_of, "degree"_a)
      .def("component_immunities", long_measured<spectral::component_immunities>)
      .def("avalanche", measured<spectral::avalanche>)
      .def("linear_structures", measured<spectral::linear_structures>)
      .def("transparency_order", measured<spectral::transparency_order>)
      .def("gamma_rank", long_measured<gamma_rank_of>)
      .def("delta_rank", long_measured<delta_rank_of>)
      .def("ortho_derivative", spectral::ortho_derivative);
  module.def("inputs_of", spectral::inputs_of, "entries"_a);
  module.def("usual_outputs", usual_outputs, "expected"_a, "values"_a);
  module.def("named_box", spectral::named_box, "name"_a);
  module.def("box_names", box_names);
}

using spectral::cuda::DeviceBox;

template <class T>
DeviceBox values_there(const GpuArray& array, std::optional<int> outputs, const Place& place) {
  return DeviceBox::of_values(array.span<const T>(), outputs, place.adopted());
}

DeviceBox box_there(const GpuArray& array, std::optional<int> outputs, const Place& place,
                    const nb::object& /*stream_owner*/) {
  constexpr std::pair<std::string_view, DeviceBox (*)(const GpuArray&, std::optional<int>, const Place&)>
      kOfType[] = {{"int8", values_there<std::int8_t>},     {"int16", values_there<std::int16_t>},
                   {"int32", values_there<std::int32_t>},   {"int64", values_there<std::int64_t>},
                   {"uint8", values_there<std::uint8_t>},   {"uint16", values_there<std::uint16_t>},
                   {"uint32", values_there<std::uint32_t>}, {"uint64", values_there<std::uint64_t>}};
  for (const auto& [type, of_type] : kOfType) {
    if (type == array.type)
      return result_of(0, [&](const std::stop_token&) { return of_type(array, outputs, place); });
  }
  throw Error(Errc::usage, "values of " + array.type + " are no integers");
}

DeviceBox copied_there(const SBox& box, int device) {
  return {box, device::Stream(context_of(device))};
}

template <auto measure>
auto measured_there(const DeviceBox& box) {
  return result_of(kShortValues + 1, [&](const std::stop_token&) { return measure(box); });
}

template <auto measure>
auto stoppable_there(const DeviceBox& box) {
  return result_of(kShortValues + 1, [&](const std::stop_token& stop) { return measure(box, stop); });
}

void bind_device_box(nb::module_& module) {
  using namespace nb::literals;
  namespace cuda = spectral::cuda;
  // `stream_owner` lives as long as the memory on its stream.
  nb::class_<DeviceBox>(module, "DeviceBox")
      .def_static("of_values", box_there, "values"_a, "outputs"_a.none(), "place"_a, "stream_owner"_a.none(),
                  nb::keep_alive<0, 4>())
      .def_static("of_box", copied_there, "box"_a, "device"_a)
      .def_prop_ro("inputs", &DeviceBox::inputs)
      .def_prop_ro("outputs", &DeviceBox::outputs)
      .def("to_host", &DeviceBox::to_host)
      .def("differential", stoppable_there<cuda::differential>)
      .def("linear", stoppable_there<cuda::linear>)
      .def("autocorrelation", stoppable_there<cuda::autocorrelation>)
      .def("component_degrees", measured_there<cuda::component_degrees>)
      .def("boomerang", stoppable_there<cuda::boomerang>)
      .def("transparency_order", measured_there<cuda::transparency_order>)
      .def("exhaustive", measured_there<cuda::exhaustive_components>);
  module.def("has_table_kernels", cuda::has_table_kernels, "outputs"_a);
  module.def("has_transparency_kernels", cuda::has_transparency_kernels, "outputs"_a);
  module.def("has_profile_kernels", cuda::has_profile_kernels, "inputs"_a, "outputs"_a);
}

void bind_results(nb::module_& module) {
  using namespace spectral;
  nb::class_<Cycles>(module, "Cycles")
      .def_ro("lengths", &Cycles::lengths)
      .def_ro("order", &Cycles::order)
      .def_ro("odd", &Cycles::odd)
      .def_ro("involution", &Cycles::involution);
  nb::class_<Basic>(module, "Basic")
      .def_ro("image", &Basic::image)
      .def_ro("collisions", &Basic::collisions)
      .def_ro("first_collision", &Basic::first_collision)
      .def_ro("balanced", &Basic::balanced)
      .def_ro("permutation", &Basic::permutation)
      .def_ro("fixed", &Basic::fixed)
      .def_ro("antifixed", &Basic::antifixed)
      .def_ro("cycles", &Basic::cycles);
  nb::class_<Differential>(module, "Differential")
      .def_ro("ddt", &Differential::ddt)
      .def_ro("uniformity", &Differential::uniformity)
      .def_ro("attained", &Differential::attained)
      .def_ro("largest_zero", &Differential::largest_zero)
      .def_ro("apn", &Differential::apn)
      .def_ro("branch_number", &Differential::branch_number)
      .def_ro("one_bit_to_one", &Differential::one_bit_to_one);
  nb::class_<Linear>(module, "Linear")
      .def_ro("walsh", &Linear::walsh)
      .def_ro("linearity", &Linear::linearity)
      .def_ro("nonlinearity", &Linear::nonlinearity)
      .def_ro("attained", &Linear::attained)
      .def_ro("first_a", &Linear::first_a)
      .def_ro("first_b", &Linear::first_b)
      .def_ro("first_value", &Linear::first_value)
      .def_ro("zeros", &Linear::zeros)
      .def_ro("almost_bent", &Linear::almost_bent)
      .def_ro("plateaued", &Linear::plateaued)
      .def_ro("bent", &Linear::bent)
      .def_ro("branch_number", &Linear::branch_number)
      .def_ro("one_bit_to_one", &Linear::one_bit_to_one)
      .def_ro("correlation_immunity", &Linear::correlation_immunity)
      .def_ro("resiliency", &Linear::resiliency)
      .def_prop_ro("component_linearities", [](const Linear& linear) {
        std::vector<std::uint32_t> all;
        for (const LinearComponent& component : linear.components) all.push_back(component.largest);
        return all;
      });
  nb::class_<ExhaustiveProfile>(module, "ExhaustiveProfile")
      .def_ro("nonlinearities", &ExhaustiveProfile::nonlinearities)
      .def_ro("linearity", &ExhaustiveProfile::linearity)
      .def_ro("masks", &ExhaustiveProfile::masks);
}

void bind_more_results(nb::module_& module) {
  using namespace spectral;
  nb::class_<Autocorrelation>(module, "Autocorrelation")
      .def_ro("indicator", &Autocorrelation::indicator)
      .def_ro("propagation", &Autocorrelation::propagation)
      .def_ro("indicators", &Autocorrelation::indicators)
      .def_ro("sums", &Autocorrelation::sums)
      .def_ro("structures", &Autocorrelation::structures);
  nb::class_<Boomerang>(module, "Boomerang")
      .def_ro("bct", &Boomerang::bct)
      .def_ro("uniformity", &Boomerang::uniformity)
      .def_ro("fbct", &Boomerang::fbct)
      .def_ro("feistel_uniformity", &Boomerang::feistel_uniformity);
  nb::class_<Avalanche>(module, "Avalanche")
      .def_ro("changes", &Avalanche::changes)
      .def_ro("least_change", &Avalanche::least_change)
      .def_ro("most_change", &Avalanche::most_change)
      .def_ro("changes_sum", &Avalanche::changes_sum)
      .def_ro("pair_nonlinearities", &Avalanche::pair_nonlinearities)
      .def_ro("pair_changes_sum", &Avalanche::pair_changes_sum);
  nb::class_<LinearStructures>(module, "LinearStructures")
      .def_ro("positive", &LinearStructures::positive)
      .def_ro("negative", &LinearStructures::negative);
}

}  // namespace

void bind_sbox(nb::module_& module) {
  bind_box(module);
  bind_device_box(module);
  bind_results(module);
  bind_more_results(module);
  module.attr("MAX_ANOMALY_BITS") = spectral::kMaxAnomalyBits;
  module.def("differential_anomaly", &spectral::differential_anomaly);
  module.def("linear_anomaly", &spectral::linear_anomaly);
  module.def("boomerang_anomaly", &spectral::boomerang_anomaly);
}

}  // namespace fugu::python
