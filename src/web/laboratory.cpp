// The laboratory of the page: a box or a Boolean function under examination, for JavaScript.
#include <emscripten/bind.h>

#include <algorithm>
#include <cstdlib>
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
  val operator()(const lab::Numbers& value) const {
    val list = val::array();
    for (const std::uint64_t number : value) list.call<void>("push", value_of(number));
    return list;
  }
  val operator()(const spectral::Histogram& value) const {
    val list = val::array();
    for (const auto& [v, count] : value) {
      val entry = val::array();
      entry.call<void>("push", static_cast<double>(v));
      entry.call<void>("push", value_of(count));
      list.call<void>("push", entry);
    }
    return list;
  }

 private:
  static val pair(std::uint64_t first, std::uint64_t second) {
    val list = val::array();
    list.call<void>("push", value_of(first));
    list.call<void>("push", value_of(second));
    return list;
  }
};

std::string_view type_name(lab::Type type) {
  constexpr std::string_view kNames[] = {"truth", "integer", "real", "histogram", "numbers", "pair"};
  return kNames[static_cast<std::size_t>(type)];
}

// A row of the table of properties; `seconds`, on one core of a PC, if its value was left out.
template <class Subject>
val row_of(const lab::Property<Subject>& property, const val& value, double seconds) {
  val row = val::object();
  row.set("column", text_of(property.column));
  row.set("group", text_of(lab::group_name(property.group)));
  row.set("definition", lab::definition(property));
  row.set("type", text_of(type_name(property.type)));
  row.set("value", value);
  row.set("seconds", seconds);
  return row;
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
    val picture = val::object();
    picture.set("rows", rows);
    picture.set("columns", columns);
    picture.set("block", block_);
    picture.set("width", width_);
    picture.set("darkest", darkest_);  // the largest magnitude outside the trivial row and column
    picture.set("entries", entries_of(entries_));
    return picture;
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
  val lines = val::array();
  for (const std::vector<std::int64_t>& entry :
       std::span(entries).first(std::min(entries.size(), kMaxLines))) {
    std::string line;
    for (const std::int64_t value : entry) line += (line.empty() ? "" : " ") + std::to_string(value);
    lines.call<void>("push", line);
  }
  val list = val::object();
  list.set("count", entries.size());
  list.set("lines", lines);
  return list;
}

val shape_of(lab::Box& box) {
  val tables = val::array();
  for (const lab::BoxTable& table : lab::box_tables())
    if (table.has == nullptr || table.has(box.values())) tables.call<void>("push", text_of(table.name));
  val shape = val::object();
  shape.set("inputs", box.inputs());
  shape.set("outputs", box.outputs());
  shape.set("tables", tables);
  return shape;
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
      val result = val::object();
      result.set("values", entries_of(spectral::walsh_spectrum(function_->values())));
      return result;
    });
  }

 private:
  val take(SBox box) {
    box_ = std::make_unique<lab::Box>(std::move(box));
    return shape_of(*box_);
  }

  val take_function(TruthTable table) {
    function_ = std::make_unique<lab::Function>(std::move(table));
    val shape = val::object();
    shape.set("variables", function_->variables());
    return shape;
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

// {name, title, meaning, shape} of each, except for those that are another one divided.
val box_tables() {
  constexpr std::string_view kShapes[] = {"byOutput", "byInput", "byBit", "byPair", "entries"};
  val rows = val::array();
  for (const lab::BoxTable& table : lab::box_tables()) {
    if (table.made.divisor != 1) continue;
    val row = val::object();
    row.set("name", text_of(table.name));
    row.set("title", text_of(table.title));
    row.set("meaning", lab::definition(table));
    row.set("shape", text_of(kShapes[static_cast<std::size_t>(table.shape)]));
    rows.call<void>("push", row);
  }
  return rows;
}

// {name, size, origin} of each, and of families with their parameters in capitals.
val box_names() {
  val rows = val::array();
  for (const spectral::BoxName& name : spectral::box_names()) {
    val row = val::object();
    row.set("name", text_of(name.name));
    row.set("size", text_of(name.size));
    row.set("origin", text_of(name.origin));
    rows.call<void>("push", row);
  }
  return rows;
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
