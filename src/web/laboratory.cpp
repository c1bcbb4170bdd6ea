// The laboratory of the page: a box or a Boolean function under examination, for JavaScript.
#include <emscripten/bind.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "fugu/spectral/boolean.hpp"
#include "fugu/spectral/lab/box.hpp"
#include "fugu/spectral/lab/box_tables.hpp"
#include "fugu/spectral/lab/function.hpp"
#include "fugu/spectral/named/named.hpp"
#include "web/browser.hpp"

namespace fugu::web {
namespace {

using emscripten::val;
using spectral::SBox;
using spectral::TruthTable;
namespace lab = spectral::lab;

// JavaScript's numbers are exact up to this.
constexpr std::uint64_t kMaxExact = std::uint64_t{1} << 53;

val value_of(std::uint64_t number) {
  return number <= kMaxExact ? val(static_cast<double>(number)) : val(std::to_string(number));
}

struct AsValue {
  val operator()(std::monostate) const { return val::null(); }
  val operator()(bool value) const { return val(value); }
  val operator()(std::int64_t value) const { return val(static_cast<double>(value)); }
  val operator()(std::uint64_t value) const { return value_of(value); }
  val operator()(double value) const { return val(value); }
  val operator()(const lab::BigNumber& value) const { return val(value.digits); }
  val operator()(lab::Pair value) const { return pair(value.first, value.second); }
  val operator()(spectral::Annihilators value) const {
    return pair(static_cast<std::uint64_t>(value.degree), value.dimension);
  }
  val operator()(const lab::Numbers& value) const { return array_of(value, value_of); }
  val operator()(const spectral::Histogram& value) const {
    return array_of(value, [](const auto& entry) {
      return array_of(std::array{val(static_cast<double>(entry.first)), value_of(entry.second)},
                      std::identity());
    });
  }

 private:
  static val pair(std::uint64_t first, std::uint64_t second) {
    return array_of(std::array{first, second}, value_of);
  }
};

std::string_view type_name(lab::Type type) {
  constexpr std::string_view kNames[] = {"truth", "integer", "real", "histogram", "numbers", "pair"};
  return kNames[static_cast<std::size_t>(type)];
}

// A row of the table of properties; `seconds`, on one core of a PC, if its value was left out.
template <class Subject>
val row_of(const lab::Property<Subject>& property, const val& value, double seconds) {
  return object_of({{"column", property.column},
                    {"group", lab::group_name(property.group)},
                    {"definition", lab::definition(property)},
                    {"type", type_name(property.type)},
                    {"value", value},
                    {"seconds", seconds}});
}

val entries_of(std::span<const std::int32_t> entries) {
  return val::global("Int32Array").new_(val(emscripten::typed_memory_view(entries.size(), entries.data())));
}

// A picture of at most `cells` x `cells`: where entries share a cell, the one of the largest magnitude.
class Picture {
 public:
  Picture(std::size_t rows, std::size_t columns, std::size_t cells)
      : block_(std::max<std::size_t>(1, std::max(rows, columns) / cells)),
        width_((columns + block_ - 1) / block_),
        entries_(width_ * ((rows + block_ - 1) / block_)) {}

  void add(std::size_t a, std::span<const std::int32_t> row) {
    for (std::size_t b = 0; b < row.size(); ++b) {
      std::int32_t& cell = entries_[a / block_ * width_ + b / block_];
      if (std::abs(row[b]) > std::abs(cell)) cell = row[b];
      if (a != 0 && b != 0) darkest_ = std::max(darkest_, std::abs(row[b]));
    }
  }

  val result(std::size_t rows, std::size_t columns) const {
    return object_of({{"rows", rows},
                      {"columns", columns},
                      {"block", block_},
                      {"width", width_},
                      {"darkest", darkest_},  // the largest magnitude outside the trivial row and column
                      {"entries", entries_of(entries_)}});
  }

 private:
  std::size_t block_;
  std::size_t width_;
  std::vector<std::int32_t> entries_;
  std::int32_t darkest_ = 0;
};

// {count, lines}: the first of them, each its differences and its value.
val list_of(const std::vector<std::vector<std::int64_t>>& entries) {
  constexpr std::size_t kMaxLines = 4096;
  const auto line_of = [](const std::vector<std::int64_t>& entry) {
    std::string line;
    for (const std::int64_t value : entry) line += (line.empty() ? "" : " ") + std::to_string(value);
    return line;
  };
  return object_of(
      {{"count", entries.size()},
       {"lines", array_of(std::span(entries).first(std::min(entries.size(), kMaxLines)), line_of)}});
}

val shape_of(lab::Box& box) {
  std::vector<std::string_view> tables;
  for (const lab::BoxTable& table : lab::box_tables())
    if (table.has == nullptr || table.has(box.values())) tables.push_back(table.name);
  return object_of(
      {{"inputs", box.inputs()}, {"outputs", box.outputs()}, {"tables", array_of(tables, text_of)}});
}

// What is under examination. Each call returns a result or {error, code}.
class Laboratory {
 public:
  val take_named(std::string name) {
    return guarded([&] {
      auto box = spectral::named_box(name);
      if (!box) throw Error(Errc::usage, "there is no box '" + name + "'");
      return take(std::move(*box));
    });
  }

  // An array of numbers below 2^32; `outputs` 0: as many as the values need.
  val take_values(val numbers, int outputs) {
    return guarded([&] {
      const std::vector<std::uint32_t> values =
          emscripten::convertJSArrayToNumberVector<std::uint32_t>(numbers);
      const int inputs = spectral::inputs_of(values.size());
      return take(SBox(inputs, outputs != 0 ? outputs : spectral::usual_outputs(inputs, values), values));
    });
  }

  // Calls each(row) for every property that takes at most `most_seconds` on one core of a PC.
  val report(val each, double most_seconds) {
    return guarded([&] {
      for (const auto& [group, name] : lab::kGroups)
        for (const lab::BoxProperty& property : lab::box_properties())
          if (property.group == group && !property.column.empty()) report_row(each, property, most_seconds);
      return val::object();
    });
  }

  // A picture of one, or a list. Calls progress(row, rows) now and then.
  val table(std::string name, std::size_t cells, val progress) {
    return guarded([&] {
      const lab::BoxTable* const row_of_name = lab::find_table(name);
      if (row_of_name == nullptr) throw Error(Errc::usage, "there is no table '" + name + "'");
      if (row_of_name->shape == lab::TableShape::entries)
        return list_of(lab::entries_of(*row_of_name, box_->values()));
      const lab::TableRows table = lab::rows_of(*row_of_name, box_->values());
      const auto rows = static_cast<std::size_t>(table.rows);
      const auto columns = static_cast<std::size_t>(table.columns);
      Picture picture(rows, columns, cells);
      std::vector<std::int32_t> row(columns);
      for (std::uint32_t a = 0; a < rows; ++a) {
        table.fill(a, row);
        picture.add(a, row);
        if (a % 16 == 0) progress(a, rows);
      }
      return picture.result(rows, columns);
    });
  }

  // The component `mask` of the box, or a function as text: bits, hexadecimal digits or a polynomial.
  val take_component(std::uint32_t mask) {
    return guarded([&] { return take_function(component(box_->values(), mask)); });
  }
  val take_text(std::string text, std::string form, int variables) {
    return guarded([&] {
      if (form == "hex") return take_function(TruthTable::from_hex(text));
      if (form == "bits") return take_function(TruthTable::from_bits(text));
      return take_function(TruthTable::from_polynomial(text, variables));
    });
  }

  val function_report(val each) {
    return guarded([&] {
      for (const lab::FunctionProperty& property : lab::function_properties()) {
        const bool quick = property.computation != lab::Computation::annihilators ||
                           function_->variables() <= lab::kMaxQuickAnnihilators;
        const bool has = quick && function_->has(property.computation);
        each(row_of(property, has ? std::visit(AsValue(), property.value(*function_)) : val::null(), 0));
      }
      return val::object();
    });
  }

  val spectrum() {
    return guarded([&] {
      return object_of({{"values", entries_of(spectral::walsh_spectrum(function_->values()))}});
    });
  }

 private:
  val take(SBox box) {
    box_ = std::make_unique<lab::Box>(std::move(box));
    return shape_of(*box_);
  }

  val take_function(TruthTable table) {
    function_ = std::make_unique<lab::Function>(std::move(table));
    return object_of({{"variables", function_->variables()}});
  }

  void report_row(const val& each, const lab::BoxProperty& property, double most_seconds) {
    if (!box_->has(property.computation)) return;
    const double seconds = box_->seconds(property.computation);
    const bool wanted = seconds <= most_seconds;
    each(row_of(property, wanted ? std::visit(AsValue(), property.value(*box_)) : val::null(),
                wanted ? 0 : seconds));
  }

  std::unique_ptr<lab::Box> box_;
  std::unique_ptr<lab::Function> function_;
};

// {name, title, meaning, shape} of each table, except for those that are another one divided.
val box_tables() {
  constexpr std::string_view kShapes[] = {"byOutput", "byInput", "byBit", "byPair", "entries"};
  const auto all = lab::box_tables();
  std::vector<lab::BoxTable> tables(all.begin(), all.end());
  std::erase_if(tables, [](const lab::BoxTable& table) { return table.made.divisor != 1; });
  return array_of(tables, [&](const lab::BoxTable& table) {
    return object_of({{"name", table.name},
                      {"title", table.title},
                      {"meaning", lab::definition(table)},
                      {"shape", kShapes[static_cast<std::size_t>(table.shape)]}});
  });
}

// {name, size, origin} of each named box, and of families with their parameters in capitals.
val box_names() {
  return array_of(spectral::box_names(), [](const spectral::BoxName& name) {
    return object_of({{"name", name.name}, {"size", name.size}, {"origin", name.origin}});
  });
}

}  // namespace

EMSCRIPTEN_BINDINGS(laboratory) {
  emscripten::function("boxNames", &box_names);
  emscripten::function("boxTables", &box_tables);
  emscripten::class_<Laboratory>("Laboratory")
      .constructor<>()
      .function("takeNamed", &Laboratory::take_named)
      .function("takeValues", &Laboratory::take_values)
      .function("report", &Laboratory::report)
      .function("table", &Laboratory::table)
      .function("takeComponent", &Laboratory::take_component)
      .function("takeText", &Laboratory::take_text)
      .function("functionReport", &Laboratory::function_report)
      .function("spectrum", &Laboratory::spectrum);
}

}  // namespace fugu::web
