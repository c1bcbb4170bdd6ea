// Boolean functions: fugu.BooleanFunction holds a TruthTable of these.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/properties.hpp"
#include "fugu/spectral/sbox/equations.hpp"
#include "python/extension/bind.hpp"
#include "python/extension/contexts.hpp"
#include "python/extension/host_buffer.hpp"
#include "python/extension/results.hpp"

namespace fugu::python {
namespace {

using spectral::TruthTable;

// NumPy writes 0 and 1 into a bool, but others may lie there.
std::uint64_t word_of(std::span<const std::uint8_t> bools) {
  std::uint64_t word = 0;
  if (spectral::pack(bools, word)) return word;
  std::array<std::uint8_t, 64> ones{};
  std::ranges::transform(bools, ones.begin(), [](std::uint8_t value) { return value != 0; });
  spectral::pack(ones, word);
  return word;
}

// A byte or a bit per value; the first value is f(0).
TruthTable table_of(nb::handle object, int variables) {
  const HostBuffer buffer(object, Access::read);
  const std::span bytes = buffer.values<const std::uint8_t>();
  TruthTable table(variables);
  std::vector<std::uint64_t> words(table.words().size());
  if (buffer.element() == Element::boolean) {
    for (std::size_t at = 0; at < bytes.size(); at += 64)
      words.at(at / 64) = word_of(bytes.subspan(at, std::min<std::size_t>(64, bytes.size() - at)));
  } else {
    std::memcpy(words.data(), bytes.data(), bytes.size());
  }
  return {variables, std::move(words)};
}

void write_bits(const TruthTable& table, nb::handle out_object) {
  const HostBuffer out(out_object, Access::write);
  spectral::expand(std::as_bytes(std::span(table.words())), spectral::TableMeans::bits,
                   out.values<std::uint8_t>());
}

void write_spectrum(const TruthTable& table, nb::handle out_object, int ordering, std::optional<int> device) {
  const HostBuffer out(out_object, Access::write);
  const std::span values = out.values<std::int32_t>();
  run(values.size(), [&](const std::stop_token& stop) {
    if (!device || table.variables() == 0 || ordering != 0)
      return walsh_spectrum(table, values,
                            {.ordering = static_cast<spectral::Ordering>(ordering), .stop = stop});
    spectral::cuda::walsh_spectrum(table, values, device::Stream(context_of(*device)));
  });
}

void write_autocorrelation(const TruthTable& table, nb::handle out_object) {
  const HostBuffer out(out_object, Access::write);
  const std::span values = out.values<std::int64_t>();
  run(values.size(), [&](const std::stop_token& stop) {
    std::ranges::copy(spectral::autocorrelation(table, {.stop = stop}), values.begin());
  });
}

spectral::SpectrumSummary summarize(const TruthTable& table, std::optional<int> device) {
  return result_of(table.size(), [&](const std::stop_token& stop) {
    if (!device || table.variables() == 0) return spectral::summarize_spectrum(table, {.stop = stop});
    return spectral::cuda::summarize_spectrum(table, spectral::cuda::Histogram::yes,
                                              device::Stream(context_of(*device)));
  });
}

int degree_of(const TruthTable& table, std::optional<int> device) {
  return result_of(table.size(), [&](const std::stop_token& stop) {
    if (!device || table.variables() == 0) return spectral::algebraic_degree(table, {.stop = stop});
    const device::Stream stream(context_of(*device));
    return spectral::cuda::algebraic_degree(spectral::cuda::upload(table, stream).span(), table.variables(),
                                            stream);
  });
}

TruthTable form_of(const TruthTable& table) {
  return result_of(table.size(),
                   [&](const std::stop_token& stop) { return spectral::moebius(table, {.stop = stop}); });
}

TruthTable table_of_polynomial(const std::string& text, int variables) {
  return result_of(std::max(text.size(), std::size_t{1} << std::clamp(variables, 0, spectral::kMaxVariables)),
                   [&](const std::stop_token& stop) {
                     return TruthTable::from_polynomial(text, variables, {.stop = stop});
                   });
}

std::string polynomial_of(const TruthTable& form) {
  return result_of(form.size(), [&](const std::stop_token& stop) {
    return spectral::polynomial_text(form, {.stop = stop});
  });
}

spectral::BooleanProperties properties_of(const TruthTable& table) {
  return result_of(table.size(),
                   [&](const std::stop_token& stop) { return spectral::properties(table, {.stop = stop}); });
}

// The least degree and the dimension at it.
std::pair<int, std::uint64_t> annihilators_of(const TruthTable& table) {
  const spectral::Annihilators found = result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    return spectral::annihilators(table, {.stop = stop});
  });
  return {found.degree, found.dimension};
}

}  // namespace

void bind_boolean(nb::module_& module) {
  using namespace nb::literals;
  module.attr("MAX_VARIABLES") = spectral::kMaxVariables;
  nb::class_<TruthTable>(module, "TruthTable")
      .def_static("of_values", table_of, "values"_a, "variables"_a)
      .def_static(
          "of_bits", [](const std::string& text) { return TruthTable::from_bits(text); }, "text"_a)
      .def_static(
          "of_hex", [](const std::string& text) { return TruthTable::from_hex(text); }, "text"_a)
      .def_static("of_polynomial", table_of_polynomial, "text"_a, "variables"_a)
      .def_prop_ro("variables", &TruthTable::variables)
      .def(
          "value", [](const TruthTable& table, std::size_t x) { return table[x]; }, "x"_a)
      .def(
          "is_equal", [](const TruthTable& table, const TruthTable& other) { return table == other; },
          "other"_a)
      .def("to_bits", &TruthTable::to_bits)
      .def("to_hex", &TruthTable::to_hex)
      .def("write_bits", write_bits, "out"_a)
      .def("write_spectrum", write_spectrum, "out"_a, "ordering"_a, "device"_a.none())
      .def("write_autocorrelation", write_autocorrelation, "out"_a)
      .def("summary", summarize, "device"_a.none())
      .def("degree", degree_of, "device"_a.none())
      .def("algebraic_normal_form", form_of)
      .def("polynomial", polynomial_of)
      .def("properties", properties_of)
      .def("annihilators", annihilators_of);

  using Summary = spectral::SpectrumSummary;
  nb::class_<Summary>(module, "SpectrumSummary")
      .def_ro("max_abs", &Summary::max_abs)
      .def_ro("nonlinearity", &Summary::nonlinearity)
      .def_ro("histogram", &Summary::histogram);

  using Properties = spectral::BooleanProperties;
  nb::class_<Properties>(module, "BooleanProperties")
      .def_ro("weight", &Properties::weight)
      .def_ro("balanced", &Properties::balanced)
      .def_ro("terms", &Properties::terms)
      .def_ro("correlation_immunity", &Properties::correlation_immunity)
      .def_ro("resiliency", &Properties::resiliency)
      .def_ro("absolute_indicator", &Properties::absolute_indicator)
      .def_ro("sum_of_squares", &Properties::sum_of_squares)
      .def_ro("propagation", &Properties::propagation)
      .def_ro("linear_structures", &Properties::linear_structures)
      .def_ro("negative_structures", &Properties::negative_structures)
      .def_ro("zeros", &Properties::zeros)
      .def_ro("plateaued", &Properties::plateaued)
      .def_ro("bent", &Properties::bent)
      .def_ro("autocorrelation", &Properties::autocorrelation);
}

}  // namespace fugu::python
