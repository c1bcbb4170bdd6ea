// The properties of Boolean functions, and their algebraic normal form; nonlinearity and spectrum by
// themselves.

#include "cli/spectral/operations.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/lab/function.hpp"

namespace fugu::cli {
namespace {

using spectral::TruthTable;
using spectral::lab::Function;

std::string csv_header() {
  std::vector<std::string_view> columns;
  for (const auto& row : spectral::lab::function_properties())
    if (!row.column.empty()) columns.push_back(row.column);
  return fmt::format("{}\n", fmt::join(columns, ","));
}

// A line of CSV or JSON.
std::string line_of(Function function, bool json) {
  std::vector<std::string> cells;
  nlohmann::ordered_json object{{"version", kJsonVersion}};
  for (const auto& row : spectral::lab::function_properties()) {
    if (row.column.empty()) continue;
    const spectral::lab::Value value =
        function.has(row.computation) ? row.value(function) : spectral::lab::Value();
    if (json) {
      object[std::string(row.column)] = value_json(value);
    } else {
      cells.push_back(value_text(value));
    }
  }
  return json ? json_line(object) : fmt::format("{}\n", fmt::join(cells, ","));
}

// About, for all properties of a function.
double seconds_of(const TruthTable& table, const SpectralRequest& request) {
  using spectral::lab::Computation;
  Function function(table, {.work = request.work()});
  double seconds = 0;
  for (const Computation computation :
       {Computation::spectra, Computation::annihilators, Computation::second_order})
    if (function.has(computation)) seconds += function.seconds(computation);
  return seconds;
}

std::string sheet_text(Function& function) {
  const spectral::SpectrumSummary& found = function.spectrum();
  std::string text = fmt::format("variables {}\nnonlinearity {}\nlargest coefficient {}\ndegree {}\n",
                                 function.variables(), found.nonlinearity, found.max_abs, function.degree());
  for (const auto& [value, count] : found.histogram) text += fmt::format("W = {}: {} times\n", value, count);
  return text;
}

nlohmann::ordered_json sheet_json(Function& function) {
  const spectral::SpectrumSummary& found = function.spectrum();
  return {{"version", kJsonVersion},
          {"variables", function.variables()},
          {"nonlinearity", found.nonlinearity},
          {"max_abs", found.max_abs},
          {"degree", function.degree()},
          {"histogram", value_json(found.histogram)}};
}

// as(function), on the GPU if one is named or is predicted to be faster for all functions together.
template <class As>
auto examined(TruthTable table, std::size_t tables, const SpectralRequest& request, As as) {
  const int n = table.variables();
  const double units = transform_units(tables * table.size(), n);
  if (n > 0) {
    auto found = request.gpu.run(choice::WorkKind::nonlinearity, units, [&](const Gpu& gpu) {
      gpu.require(bytes_on_gpu(table));
      const auto words = spectral::cuda::upload(table, gpu.stream);
      Function there(words.span(), n, gpu.stream);
      return as(there);
    });
    if (found) return *std::move(found);
    say_estimate(request, choice::WorkKind::nonlinearity, units);
  }
  Function here(std::move(table), {.work = request.work()});
  return as(here);
}

// A batch is an array, or blocks separated by an empty line.
std::string report(Tables tables, bool batch, const SpectralRequest& request) {
  auto objects = nlohmann::ordered_json::array();
  std::string text;
  const bool json = request.arguments.has("json");
  for (TruthTable& table : tables) {
    if (json) {
      objects.push_back(examined(std::move(table), tables.size(), request, sheet_json));
    } else {
      if (!text.empty()) text += '\n';
      text += examined(std::move(table), tables.size(), request, sheet_text);
    }
  }
  return json ? json_text(batch ? objects : objects[0]) : text;
}

}  // namespace

void run_nonlinearity(const SpectralRequest& request) {
  const std::string name = file_operands(request, 1)[0];
  const ExpectValues expect = expect_gpu(request, choice::WorkKind::nonlinearity);
  SpectralInput input = read_input(name, request.arguments, Needs::table, request.pool, expect);
  const std::string text =
      report(std::get<Tables>(std::move(input.data)), input.shape.two_dimensional, request);
  write_output(request.arguments, {.is_report = !request.arguments.has("json"), .input = input.file}, text);
}

void run_properties(const SpectralRequest& request) {
  const bool json = request.arguments.has("json");
  const SpectralInput input =
      read_input(file_operands(request, 1)[0], request.arguments, Needs::table, request.pool);
  const auto& functions = std::get<Tables>(input.data);
  const spectral::Progress shown =
      shown_work(request.arguments, "the properties", functions.size(),
                 static_cast<double>(functions.size()) * seconds_of(functions[0], request), "functions");
  std::string text = json ? "" : csv_header();
  for (const TruthTable& function : functions) {
    text += line_of(Function(function, {.work = request.work()}), json);
    if (shown) shown(1);
  }
  write_output(request.arguments, {.input = input.file}, text);
}

void run_anf(const SpectralRequest& request) {
  const Arguments& arguments = request.arguments;
  const bool is_polynomial = choice_value(arguments, "from", kValueFormats) == ValueFormat::polynomial;
  const ValueFormat to = choice_value(arguments, "to", kValueFormats)
                             .value_or(is_polynomial ? ValueFormat::bits : ValueFormat::polynomial);
  if (to != ValueFormat::bits && to != ValueFormat::hex && to != ValueFormat::polynomial)
    throw Error(Errc::usage, "anf writes bits, hex or polynomial");
  const SpectralInput input = read_input(file_operands(request, 1)[0], arguments, Needs::table, request.pool);
  const auto& functions = std::get<Tables>(input.data);
  // Most time goes into terms of text, of which a random function has one per two values.
  const double values = static_cast<double>(functions.size() * functions[0].size());
  const double seconds = to == ValueFormat::polynomial ? 6e-8 * values : 0;
  const spectral::Progress shown =
      shown_work(arguments, "the algebraic normal forms", functions.size(), seconds, "functions");
  std::string text;
  for (const TruthTable& function : functions) {
    const TruthTable form = moebius(function, request.work());
    if (to == ValueFormat::polynomial) {
      text += polynomial_text(form);
    } else {
      const TruthTable& table = is_polynomial ? function : form;
      text += to == ValueFormat::bits    ? table.to_bits()
              : is_sage_order(arguments) ? reversed(table).to_hex()
                                         : table.to_hex();
    }
    text += '\n';
    if (shown) shown(1);
  }
  write_output(request.arguments, {.input = input.file}, text);
}

}  // namespace fugu::cli
