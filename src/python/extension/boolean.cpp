// Boolean functions: fugu.BooleanFunction holds a session of one.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "fugu/choice.hpp"
#include "fugu/platform/system.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/lab/function.hpp"
#include "python/extension/arrays.hpp"
#include "python/extension/lab.hpp"

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
  if (buffer.element() == ItemType::boolean) {
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

// For fugu.progress(): before so many transforms of all values on the CPU.
void begin_transforms(std::string what, const TruthTable& table, double transforms) {
  const double units = transforms * static_cast<double>(table.size()) * table.variables();
  begin_steps(
      std::move(what), 0,
      choice::built_in().cpu_seconds(
          {.work = choice::WorkKind::walsh, .units = units, .threads = platform::usable_processors()}));
}

void write_spectrum(const TruthTable& table, nb::handle out_object, int ordering, std::optional<int> device) {
  const HostBuffer out(out_object, Access::write);
  const std::span values = out.values<std::int32_t>();
  run(values.size(), [&](const std::stop_token& stop) {
    if (!device || table.variables() == 0 || ordering != 0) {
      begin_transforms("the Walsh spectrum", table, 1);
      return walsh_spectrum(table, values,
                            {.ordering = static_cast<spectral::Ordering>(ordering), .stop = stop});
    }
    spectral::cuda::walsh_spectrum(table, values, device::Stream(context_of(*device)));
  });
}

void write_autocorrelation(const TruthTable& table, nb::handle out_object) {
  const HostBuffer out(out_object, Access::write);
  const std::span values = out.values<std::int64_t>();
  run(values.size(), [&](const std::stop_token& stop) {
    begin_transforms("the autocorrelation", table, 4);  // two, of 64 bits
    std::ranges::copy(spectral::autocorrelation(table, {.stop = stop}), values.begin());
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
    begin_steps("the polynomial", 0, 6e-8 * static_cast<double>(form.size()));
    return spectral::polynomial_text(form, {.stop = stop});
  });
}

std::vector<TruthTable> annihilators_of(const TruthTable& table) {
  return result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    return spectral::annihilator_basis(table, {.stop = stop, .begin = counted("the annihilators")});
  });
}

using spectral::lab::Function;
using FunctionSession = Session<Function>;

// Measured on the GPU, if one is named.
std::unique_ptr<FunctionSession> session_of_table(const TruthTable& table, std::optional<int> device) {
  spectral::lab::FunctionOptions options;
  options.gpu = [device] {
    return device ? std::optional(device::Stream(context_of(*device))) : std::nullopt;
  };
  options.begin = begin_steps;
  return std::make_unique<FunctionSession>(table, std::move(options));
}

// A packed truth table of 4 bytes or more, which is not copied.
std::unique_ptr<FunctionSession> function_session_there(const GpuArray& packed, int variables,
                                                        const Place& place, const nb::object& /*owners*/) {
  const device::DeviceSpan<const std::uint32_t> words{reinterpret_cast<const std::uint32_t*>(packed.data),
                                                      packed.values / sizeof(std::uint32_t)};
  return std::make_unique<FunctionSession>(words, variables, place.adopted());
}

nb::object function_value(FunctionSession& session, const std::string& name) {
  return value_named(session, spectral::lab::function_properties(), session.subject.size(), name);
}

double function_seconds(FunctionSession& session, const std::string& name) {
  const auto& row = property_named(spectral::lab::function_properties(), name);
  return session.run(0, [&](Function& function) { return function.seconds(row.computation); });
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
      .def("algebraic_normal_form", form_of)
      .def("polynomial", polynomial_of)
      .def("annihilators", annihilators_of);
  // `owners` of the memory and its stream live as long as the session.
  bind_session_of<Function>(module, "FunctionSession")
      .def_static("of_table", session_of_table, "table"_a, "device"_a.none())
      .def_static("of_gpu_values", function_session_there, "packed"_a, "variables"_a, "place"_a, "owners"_a,
                  nb::keep_alive<0, 4>())
      .def_prop_ro("variables", [](const FunctionSession& session) { return session.subject.variables(); })
      .def("value", function_value, "name"_a)
      .def("seconds", function_seconds, "name"_a);
  module.def("function_properties", [] { return properties_of(spectral::lab::function_properties()); });
}

}  // namespace fugu::python
