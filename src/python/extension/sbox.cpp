// S-boxes: fugu.SBox holds a session of one.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <bit>

#include "fugu/platform/system.hpp"
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/lab/batch.hpp"
#include "fugu/spectral/lab/box.hpp"
#include "fugu/spectral/lab/model.hpp"
#include "fugu/spectral/named/named.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "python/extension/arrays.hpp"
#include "python/extension/lab.hpp"

namespace fugu::python {
namespace {

using spectral::SBox;
using spectral::lab::BoxTable;

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

// The table whose entries are these divided by `divisor`.
BoxTable table_named(const std::string& name, int divisor = 1) {
  const BoxTable* const row = spectral::lab::find_table(name);
  if (row == nullptr) throw Error(Errc::usage, "no table '" + name + "'");
  BoxTable table = *row;
  table.made.divisor *= divisor;
  return table;
}

std::pair<std::uint64_t, std::uint64_t> table_shape(const SBox& box, const std::string& name) {
  const auto table = rows_of(table_named(name), box);
  return {table.rows, table.columns};
}

// fill(i, line i of the array), on all threads.
template <class Fill>
void write_lines(nb::handle out_object, const char* what, Fill fill) {
  const HostBuffer out(out_object, Access::write);
  const std::span values = out.values<std::int32_t>();
  const std::size_t columns = out.columns();
  run(values.size(), [&](const std::stop_token& stop) {
    threads::ThreadPool pool(values.size() > kShortValues ? platform::usable_processors() : 1);
    const std::size_t lines = values.size() / columns;
    const spectral::Progress done = begin_steps(what, lines, 0);
    pool.for_each(lines, [&](std::size_t line) {
      throw_if_stopped(stop);
      fill(static_cast<std::uint32_t>(line), values.subspan(line * columns, columns));
      if (done) done(1);
    });
  });
}

// Rows, or columns, from number `first` on.
void write_rows(const SBox& box, const std::string& name, int divisor, std::uint32_t first, nb::handle out) {
  const auto table = rows_of(table_named(name, divisor), box);
  write_lines(out, "the rows of the table", [&](std::uint32_t i, auto row) { table.fill(first + i, row); });
}
void write_columns(const SBox& box, const std::string& name, int divisor, std::uint32_t first,
                   nb::handle out) {
  const BoxTable table = table_named(name, divisor);
  write_lines(out, "the columns of the table",
              [&](std::uint32_t i, auto column) { fill_column(table, box, first + i, column); });
}

// Of tables that are not made by rows.
std::vector<std::vector<std::int64_t>> table_values(const SBox& box, const std::string& name) {
  const BoxTable table = table_named(name);
  return result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    if (table.made.list != nullptr) return entries_of(table, box, {.stop = stop});
    const auto rows = rows_of(table, box, {.stop = stop});
    std::vector<std::vector<std::int64_t>> values;
    std::vector<std::int32_t> row(rows.columns);
    for (std::uint32_t a = 0; a < rows.rows; ++a) {
      rows.fill(a, row);
      values.emplace_back(row.begin(), row.end());
    }
    return values;
  });
}

using TableTuple = std::tuple<std::string_view, std::string_view, std::string_view, std::string,
                              std::string_view, std::string>;

// Name, SageMath's name, title, definition, form and docstring.
std::vector<TableTuple> box_tables() {
  std::vector<TableTuple> tables;
  for (const BoxTable& row : spectral::lab::box_tables())
    tables.emplace_back(row.name, row.sage_name, row.title, definition(row), parameters_of(row), doc_of(row));
  return tables;
}

// b -> delta(a,b) for nonzero entries.
std::map<std::uint32_t, std::uint32_t> ddt_row(const SBox& box, std::uint32_t a) {
  std::map<std::uint32_t, std::uint32_t> row;
  for (const auto& [b, count] : ddt_entries(box, a)) row.emplace(b, count);
  return row;
}

// "x0 y1 + x2 + 1", ...
std::vector<std::string> equations_of(const SBox& box, int degree) {
  if (degree < 1 || degree > spectral::kMaxEquationDegree || !has_equations(box, degree))
    throw Error(Errc::usage, "equations of degree " + std::to_string(degree) +
                                 ": 1 to 3; n + m is at most 24 for degree 2, 20 for degree 3");
  return result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    std::vector<std::string> texts;
    for (const auto& equation : equation_basis(box, degree, {.stop = stop}))
      texts.push_back(spectral::equation_text(equation, box.inputs()));
    return texts;
  });
}

using StructureTuple = std::tuple<std::uint32_t, std::uint32_t, int>;

std::vector<StructureTuple> structures_of(const SBox& box, std::size_t most) {
  std::vector<StructureTuple> found;
  for (const spectral::LinearStructure& one : list_linear_structures(box, most))
    found.emplace_back(one.a, one.b, one.negative ? 1 : 0);
  return found;
}

spectral::BinaryField field_of(int bits, std::optional<std::uint32_t> polynomial) {
  return {bits, polynomial.value_or(spectral::usual_polynomial(bits))};
}

std::vector<std::uint32_t> c_differential(const SBox& box, std::optional<std::uint32_t> polynomial) {
  const spectral::BinaryField field = field_of(box.inputs(), polynomial);
  return result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    return c_differential_uniformity(box, field,
                                     {.stop = stop, .begin = counted("c-differential uniformities")});
  });
}

SBox box_of_univariate(const std::string& text, std::uint32_t polynomial) {
  const int bits = static_cast<int>(std::bit_width(polynomial)) - 1;
  return result_of(std::size_t{1} << std::clamp(bits, 0, spectral::kMaxInputs), [&](const std::stop_token&) {
    return spectral::box_of_polynomial(text, {bits, polynomial});
  });
}

using BoxNameTuple = std::tuple<std::string_view, std::string_view, std::string_view>;

std::vector<BoxNameTuple> box_names() {
  std::vector<BoxNameTuple> names;
  for (const spectral::BoxName& row : spectral::box_names())
    names.emplace_back(row.name, row.size, row.origin);
  return names;
}

using spectral::lab::Transitions;
using InequalityTuple = std::pair<std::vector<std::int64_t>, std::int64_t>;

Transitions transitions_of(const SBox& box, const std::string& table, bool weights) {
  return result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    return transitions(table_named(table), box, weights, {.stop = stop});
  });
}

std::vector<std::uint32_t> possible_points(const Transitions& of) {
  std::vector<std::uint32_t> points;
  for (std::uint32_t point = 0; point < of.possible.size(); ++point)
    if (of.possible[point]) points.push_back(point);
  return points;
}

// A few that suffice, or all; and how many there are.
std::pair<std::vector<InequalityTuple>, std::size_t> clauses_of(const Transitions& of, bool few) {
  return result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    std::vector<spectral::lab::Clause> clauses = prime_clauses(of, {.stop = stop});
    const std::size_t primes = clauses.size();
    if (few) clauses = few_clauses(of, clauses, {.stop = stop});
    std::vector<InequalityTuple> inequalities;
    for (const spectral::lab::Clause clause : clauses) {
      auto [coefficients, least] = inequality_of(clause, of.variables.size());
      inequalities.emplace_back(std::move(coefficients), least);
    }
    return std::pair(std::move(inequalities), primes);
  });
}

std::string text_of_model(const Transitions& of, const std::vector<InequalityTuple>& tuples,
                          const std::string& form, const std::string& claim) {
  std::vector<spectral::lab::Inequality> inequalities;
  for (const auto& [coefficients, least] : tuples) inequalities.push_back({coefficients, least});
  return result_of(kShortValues + 1,
                   [&](const std::stop_token&) { return model_text(of, inequalities, form, claim); });
}

void bind_models(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Transitions>(module, "Transitions")
      .def_static("of", transitions_of, "box"_a, "table"_a, "weights"_a)
      .def_ro("table", &Transitions::table)
      .def_ro("variables", &Transitions::variables)
      .def_ro("levels", &Transitions::levels)
      .def_prop_ro("points", possible_points)
      .def("clauses", clauses_of, "few"_a)
      .def("text", text_of_model, "inequalities"_a, "form"_a, "claim"_a);
}

void bind_box(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<SBox>(module, "SBox")
      .def_static("of_values", box_of, "values"_a, "inputs"_a, "outputs"_a)
      .def_static("of_univariate", box_of_univariate, "text"_a, "polynomial"_a)
      .def_prop_ro("inputs", &SBox::inputs)
      .def_prop_ro("outputs", &SBox::outputs)
      .def(
          "is_equal", [](const SBox& box, const SBox& other) { return box == other; }, "other"_a)
      .def("write_values", write_values, "out"_a)
      .def("table_shape", table_shape, "table"_a)
      .def("write_rows", write_rows, "table"_a, "divisor"_a, "first"_a, "out"_a)
      .def("write_columns", write_columns, "table"_a, "divisor"_a, "first"_a, "out"_a)
      .def("table_values", table_values, "table"_a)
      .def("ddt_row", ddt_row, "a"_a)
      .def("equations", equations_of, "degree"_a)
      .def("linear_structures", structures_of, "most"_a)
      .def("c_differential", c_differential, "polynomial"_a.none())
      .def(
          "has_uniformity_at_most",
          [](const SBox& box, std::uint32_t bound) { return uniformity(box, bound) <= bound; }, "bound"_a)
      .def("component", spectral::component, "mask"_a)
      .def("derivative", spectral::derivative, "a"_a)
      .def("inverse", [](const SBox& box) { return spectral::inverse(box); })
      .def(
          "univariate",
          [](const SBox& box, std::uint32_t polynomial) {
            return spectral::univariate(box, spectral::BinaryField(box.inputs(), polynomial));
          },
          "polynomial"_a)
      .def("ortho_derivative", spectral::ortho_derivative);
  module.def("inputs_of", spectral::inputs_of, "entries"_a);
  module.def("usual_outputs", usual_outputs, "expected"_a, "values"_a);
  module.def("named_box", spectral::named_box, "name"_a);
  module.def("box_names", box_names);
  module.def("box_tables", box_tables);
}

using spectral::cuda::DeviceBox;
using spectral::lab::Box;
using BoxSession = Session<Box>;
using MadeSession = std::unique_ptr<BoxSession>;

// Measured on the GPU, if one is named.
MadeSession session_of_box(const SBox& box, std::optional<int> device) {
  spectral::lab::BoxOptions options;
  if (device) options.gpu = [device] { return device::Stream(context_of(*device)); };
  options.begin = [](Box& own, spectral::lab::Computation computation,
                     std::uint64_t steps) -> spectral::Progress {
    const auto work = own.long_computation(computation);
    return work ? begin_steps(work->what, steps, work->seconds) : spectral::Progress();
  };
  return std::make_unique<BoxSession>(box, std::move(options));
}

template <class T>
DeviceBox values_there(const GpuArray& array, std::optional<int> outputs, const Place& place) {
  return DeviceBox::of_values(array.span<const T>(), outputs, place.adopted());
}

MadeSession box_session_there(const GpuArray& array, std::optional<int> outputs, const Place& place,
                              const nb::object& /*stream_owner*/) {
  constexpr std::pair<std::string_view, DeviceBox (*)(const GpuArray&, std::optional<int>, const Place&)>
      kOfType[] = {{"int8", values_there<std::int8_t>},     {"int16", values_there<std::int16_t>},
                   {"int32", values_there<std::int32_t>},   {"int64", values_there<std::int64_t>},
                   {"uint8", values_there<std::uint8_t>},   {"uint16", values_there<std::uint16_t>},
                   {"uint32", values_there<std::uint32_t>}, {"uint64", values_there<std::uint64_t>}};
  for (const auto& [type, of_type] : kOfType) {
    if (type == array.type)
      return std::make_unique<BoxSession>(
          result_of(0, [&, make = of_type](const std::stop_token&) { return make(array, outputs, place); }));
  }
  throw Error(Errc::usage, "values of " + array.type + " are not integers");
}

nb::object box_value(BoxSession& session, const std::string& name) {
  const Box& box = session.subject;
  return value_named(session, spectral::lab::box_properties(),
                     box.size() << std::min(box.outputs(), box.inputs()), name);
}

double box_seconds(BoxSession& session, const std::string& name) {
  const spectral::lab::Computation computation =
      property_named(spectral::lab::box_properties(), name).computation;
  return session.run(kShortValues + 1, [&](Box& box) {
    const auto work = box.has(computation) ? box.long_computation(computation) : std::nullopt;
    return work ? work->seconds : 0;
  });
}

void bind_session(nb::module_& module) {
  using namespace nb::literals;
  // `stream_owner` lives as long as the memory on its stream.
  bind_session_of<Box>(module, "BoxSession")
      .def_static("of_box", session_of_box, "box"_a, "device"_a.none())
      .def_static("of_gpu_values", box_session_there, "values"_a, "outputs"_a.none(), "place"_a,
                  "stream_owner"_a.none(), nb::keep_alive<0, 4>())
      .def_prop_ro("inputs", [](const BoxSession& session) { return session.subject.inputs(); })
      .def_prop_ro("outputs", [](const BoxSession& session) { return session.subject.outputs(); })
      .def("value", box_value, "name"_a)
      .def("seconds", box_seconds, "name"_a);
  module.def("box_properties", [] { return properties_of(spectral::lab::box_properties()); });
}

}  // namespace

void bind_sbox(nb::module_& module) {
  bind_box(module);
  bind_models(module);
  bind_session(module);
}

}  // namespace fugu::python
