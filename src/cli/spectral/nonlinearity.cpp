// Nonlinearity, degree and spectrum of Boolean functions, one block of lines or one JSON object each.
#include <fmt/format.h>

#include "cli/lab/input.hpp"
#include "cli/lab/property_text.hpp"
#include "cli/process/json.hpp"
#include "cli/spectral/operations.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/lab/function.hpp"

namespace fugu::cli {
namespace {

using spectral::TruthTable;
using spectral::lab::Function;

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
    auto found = request.gpu.run(choice::Work::nonlinearity, units, [&](const Gpu& gpu) {
      gpu.require(bytes_on_gpu(table));
      const auto words = spectral::cuda::upload(table, gpu.stream);
      Function there(words.span(), n, gpu.stream);
      return as(there);
    });
    if (found) return *std::move(found);
    say_estimate(request, choice::Work::nonlinearity, units);
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
  SpectralInput input = read_input(name, request.arguments, Needs::table, request.pool,
                                   expect_gpu(request, choice::Work::nonlinearity));
  const std::string text =
      report(std::get<Tables>(std::move(input.data)), input.shape.two_dimensional, request);
  write_output(request.arguments, {.is_report = !request.arguments.has("json"), .input = input.file}, text);
}

}  // namespace fugu::cli
