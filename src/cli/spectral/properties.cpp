// The properties of Boolean functions, and their algebraic normal form.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/process/json.hpp"
#include "cli/spectral/input.hpp"
#include "cli/spectral/operations.hpp"
#include "cli/spectral/property_text.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/lab/function.hpp"

namespace fugu::cli {
namespace {

using spectral::TruthTable;

std::string csv_header() {
  std::vector<std::string_view> columns;
  for (const auto& row : spectral::lab::function_properties())
    if (!row.column.empty()) columns.push_back(row.column);
  return fmt::format("{}\n", fmt::join(columns, ","));
}

// A line of CSV or JSON.
std::string line_of(spectral::lab::Function function, bool json) {
  std::vector<std::string> cells;
  nlohmann::ordered_json object{{"version", kJsonVersion}};
  for (const auto& row : spectral::lab::function_properties()) {
    if (row.column.empty()) continue;
    const spectral::lab::Value value = function.has(row.part) ? row.value(function) : spectral::lab::Value();
    if (json) {
      object[std::string(row.column)] = value_json(value);
    } else {
      cells.push_back(value_text(value));
    }
  }
  return json ? json_line(object) : fmt::format("{}\n", fmt::join(cells, ","));
}

std::string hex_text(const TruthTable& table, bool sage_order) {
  if (!sage_order) return table.to_hex();
  std::string bits = table.to_bits();
  std::ranges::reverse(bits);
  return TruthTable::from_bits(bits).to_hex();
}

void write_text(const SpectralRequest& request, const SpectralInput& input, const std::string& text) {
  write_output(request.arguments, {.input = input.file},
               [&](stream::Sink& sink) { sink.write(std::as_bytes(std::span(text))); });
}

}  // namespace

void run_properties(const SpectralRequest& request) {
  const bool json = request.arguments.has("json");
  const SpectralInput input =
      read_input(file_operands(request, 1)[0], request.arguments, Needs::table, request.pool);
  std::string text = json ? "" : csv_header();
  for (const TruthTable& function : std::get<Tables>(input.data))
    text += line_of(spectral::lab::Function(function, {.work = request.work()}), json);
  write_text(request, input, text);
}

void run_anf(const SpectralRequest& request) {
  const Arguments& arguments = request.arguments;
  const bool is_polynomial = format_option(arguments, "from") == ValueFormat::polynomial;
  const ValueFormat to =
      format_option(arguments, "to").value_or(is_polynomial ? ValueFormat::bits : ValueFormat::polynomial);
  if (to != ValueFormat::bits && to != ValueFormat::hex && to != ValueFormat::polynomial)
    throw Error(Errc::usage, "anf writes bits, hex or polynomial");
  const SpectralInput input = read_input(file_operands(request, 1)[0], arguments, Needs::table, request.pool);
  std::string text;
  for (const TruthTable& function : std::get<Tables>(input.data)) {
    const TruthTable form = moebius(function, request.work());
    if (to == ValueFormat::polynomial) {
      text += polynomial_text(form);
    } else {
      const TruthTable& table = is_polynomial ? function : form;
      text += to == ValueFormat::bits ? table.to_bits() : hex_text(table, is_sage_order(arguments));
    }
    text += '\n';
  }
  write_text(request, input, text);
}

}  // namespace fugu::cli
