// Arrays of S-boxes: fugu.SBoxes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/lab/batch.hpp"
#include "python/extension/arrays.hpp"
#include "python/extension/lab.hpp"

namespace fugu::python {
namespace {

namespace lab = spectral::lab;

lab::BoxArray boxes_of(const HostBuffer& values, int inputs, int outputs, std::size_t value_bytes) {
  return {inputs, outputs, value_bytes, values.bytes()};
}

spectral::SBoxOptions counted_boxes(const std::stop_token& stop) {
  return {.stop = stop, .begin = counted("boxes")};
}

// A value for each box.
nb::typed<nb::list, nb::any> boxes_values(nb::handle values, int inputs, int outputs, std::size_t value_bytes,
                                          const std::string& name) {
  const HostBuffer buffer(values, Access::read);
  const lab::BoxProperty& property = property_named(lab::box_properties(), name);
  const auto found = result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    return values_of(boxes_of(buffer, inputs, outputs, value_bytes), property, counted_boxes(stop));
  });
  nb::list list;
  for (const lab::Value& value : found) list.append(object_of(value));
  return list;
}

// A whole number for each box, into an array of int64.
void write_boxes_numbers(nb::handle values, int inputs, int outputs, std::size_t value_bytes,
                         const std::string& name, nb::handle out_object) {
  const HostBuffer buffer(values, Access::read);
  const HostBuffer out(out_object, Access::write);
  const lab::BoxProperty& property = property_named(lab::box_properties(), name);
  run(kShortValues + 1, [&](const std::stop_token& stop) {
    const auto found =
        values_of(boxes_of(buffer, inputs, outputs, value_bytes), property, counted_boxes(stop));
    std::ranges::transform(found, out.values<std::int64_t>().begin(), [](const lab::Value& value) {
      const auto* const positive = std::get_if<std::uint64_t>(&value);
      return positive != nullptr ? static_cast<std::int64_t>(*positive) : std::get<std::int64_t>(value);
    });
  });
}

void write_uniformity_at_most(nb::handle values, int inputs, int outputs, std::size_t value_bytes,
                              std::uint32_t bound, nb::handle out_object) {
  const HostBuffer buffer(values, Access::read);
  const HostBuffer out(out_object, Access::write);
  run(kShortValues + 1, [&](const std::stop_token& stop) {
    const auto found =
        uniformity_at_most(boxes_of(buffer, inputs, outputs, value_bytes), bound, counted_boxes(stop));
    std::ranges::copy(found, out.values<std::uint8_t>().begin());
  });
}

// Linearity, uniformity and degree of boxes of bytes, on a GPU: rows of three.
void write_boxes_summaries(nb::handle values, int inputs, int outputs, int device, nb::handle out_object) {
  const HostBuffer buffer(values, Access::read);
  const HostBuffer out(out_object, Access::write);
  const device::Stream stream(context_of(device));
  run(kShortValues + 1, [&](const std::stop_token&) {
    std::size_t at = 0;
    for (const spectral::cuda::SmallBoxSummary& one :
         spectral::cuda::summarize_boxes(inputs, outputs, buffer.values<const std::uint8_t>(), stream)) {
      const std::span row = out.values<std::int64_t>().subspan(at, 3);
      row[0] = one.linearity;
      row[1] = one.uniformity;
      row[2] = one.degree;
      at += 3;
    }
  });
}

}  // namespace

void bind_boxes(nb::module_& module) {
  using namespace nb::literals;
  module.def("boxes_values", boxes_values, "values"_a, "inputs"_a, "outputs"_a, "value_bytes"_a, "name"_a);
  module.def("write_boxes_numbers", write_boxes_numbers, "values"_a, "inputs"_a, "outputs"_a, "value_bytes"_a,
             "name"_a, "out"_a);
  module.def("write_uniformity_at_most", write_uniformity_at_most, "values"_a, "inputs"_a, "outputs"_a,
             "value_bytes"_a, "bound"_a, "out"_a);
  module.def("write_boxes_summaries", write_boxes_summaries, "values"_a, "inputs"_a, "outputs"_a, "device"_a,
             "out"_a);
  module.attr("MAX_SMALL_BITS") = spectral::cuda::kMaxSmallBits;
}

}  // namespace fugu::python
