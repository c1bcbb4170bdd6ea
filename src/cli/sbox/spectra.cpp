// Which table is asked for, and the spectra of tables.
#include <fmt/format.h>

#include <algorithm>

#include "cli/lab/work.hpp"
#include "cli/picture/picture.hpp"
#include "cli/process/console.hpp"
#include "cli/process/json.hpp"
#include "cli/sbox/engine.hpp"
#include "cli/sbox/operations.hpp"
#include "cli/sbox/write.hpp"
#include "cli/to_size.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

using spectral::Histogram;

constexpr Choice<Scale> kScales[] = {
    {"walsh", Scale::walsh}, {"bias", Scale::bias}, {"correlation", Scale::correlation}};

Histogram counted(const spectral::lab::TableRows& table) {
  Histogram histogram;
  std::vector<std::int32_t> row(to_size(table.columns));
  for (std::uint32_t a = 0; a < table.rows; ++a) {
    table.fill(a, row);
    for (const std::int32_t value : row) ++histogram[value];
  }
  return histogram;
}

Histogram spectrum_of(const TableRequest& request) {
  const BoxEngine engine(request.arguments);
  spectral::lab::Box box = engine.box(request.named.box);
  if (request.table.histogram.empty()) return counted(rows_of(request.table, box.values()));
  const auto& property = *find_property(spectral::lab::box_properties(), request.table.histogram);
  require_asked(request.arguments, "the entries of the table", box.seconds(property.computation));
  require_has(request.table, request.named.box);
  const spectral::lab::Value value = property.value(box);
  Histogram histogram;
  for (const auto& [entry, count] : std::get<Histogram>(value))
    histogram[entry / request.table.made.divisor] = count;
  return histogram;
}

}  // namespace

TableRequest table_request(const Arguments& arguments) {
  const auto& operands = arguments.operands();
  const std::vector<std::string_view> names = spectral::lab::table_names();
  if (operands.size() < 2)
    throw Error(Errc::usage, fmt::format("{} needs a table: {}", operands[0], alternatives(names)));
  const spectral::lab::BoxTable* const table = spectral::lab::find_table(operands[1]);
  if (table == nullptr)
    throw Error(Errc::usage, fmt::format("no table '{}'{}; there are {}", printable(operands[1]),
                                         did_you_mean(operands[1], names), fmt::join(names, ", ")));
  const Scale scale = choice_value(arguments, "scale", kScales).value_or(Scale::walsh);
  if (scale != Scale::walsh && !table->has_scales) throw Error(Errc::usage, "--scale is for the lat");
  TableRequest request{arguments, *table, scale, read_only_box(arguments, 2), thread_count(arguments)};
  if (scale == Scale::bias) request.table.made.divisor = 2;
  return request;
}

std::string title_of(const TableRequest& request) {
  std::string name(request.table.name);
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  return fmt::format("{} of {}", name, printable(request.named.name));
}

void run_spectrum(const Arguments& arguments) {
  const TableRequest request = table_request(arguments);
  const Histogram histogram = spectrum_of(request);
  if (arguments.has("plot")) {
    return plot(arguments, request.named.file,
                Bars{"spectrum of the " + title_of(request), "value", "entries", histogram});
  }
  const bool fractions = request.scale == Scale::correlation;
  const int bits = request.named.box.inputs();
  std::string text;
  if (arguments.has("json")) {
    auto pairs = nlohmann::ordered_json::array();
    for (const auto& [value, count] : histogram) {
      fractions ? pairs.push_back({fraction(value, bits), count}) : pairs.push_back({value, count});
    }
    text = json_text({{"version", kJsonVersion},
                      {"name", request.named.name},
                      {"table", request.table.name},
                      {"spectrum", pairs},
                      {"scale", arguments.value("scale").value_or("walsh")},
                      {"conventions", 1}});
  } else {
    for (const auto& [value, count] : histogram)
      text += fmt::format("{}:{}\n", fractions ? fraction(value, bits) : std::to_string(value), count);
  }
  write_text(arguments, request.named.file, text);
}

}  // namespace fugu::cli
