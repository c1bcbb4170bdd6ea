// Nonlinearity, degree and spectrum of Boolean functions, one block of lines or one JSON object each.
#include <fmt/format.h>

#include "cli/process/json.hpp"
#include "cli/spectral/input.hpp"
#include "cli/spectral/operations.hpp"
#include "fugu/spectral/cuda/walsh.hpp"

namespace fugu::cli {
namespace {

using spectral::TruthTable;

struct Finding {
  int variables;
  int degree;
  spectral::SpectrumSummary summary;
};

Finding find_on_gpu(const TruthTable& table, const Gpu& gpu) {
  gpu.require(bytes_on_gpu(table));
  const auto words = spectral::cuda::upload(table, gpu.stream);
  const int n = table.variables();
  const int degree = spectral::cuda::algebraic_degree(words.span(), n, gpu.stream);
  return {n, degree,
          spectral::cuda::summarize_spectrum(words.span(), n, spectral::cuda::Histogram::yes, gpu.stream)};
}

Finding find(TruthTable table, std::size_t tables, const SpectralRequest& request) {
  const int n = table.variables();
  if (n > 0) {
    const double units = transform_units(tables * table.size(), n);
    auto found = request.gpu.run(choice::Work::nonlinearity, units,
                                 [&](const Gpu& gpu) { return find_on_gpu(table, gpu); });
    if (found) return *std::move(found);
    say_estimate(request, choice::Work::nonlinearity, units);
  }
  spectral::SpectrumSummary summary = spectral::summarize_spectrum(table, request.work());
  return {n, spectral::algebraic_degree(std::move(table), request.work()), std::move(summary)};
}

std::string as_text(const Finding& finding) {
  std::string text =
      fmt::format("variables {}\nnonlinearity {}\nlargest coefficient {}\ndegree {}\n", finding.variables,
                  finding.summary.nonlinearity, finding.summary.max_abs, finding.degree);
  for (const auto& [value, count] : finding.summary.histogram)
    text += fmt::format("W = {}: {} times\n", value, count);
  return text;
}

nlohmann::ordered_json as_json(const Finding& finding) {
  auto histogram = nlohmann::ordered_json::array();
  for (const auto& [value, count] : finding.summary.histogram) histogram.push_back({value, count});
  return {{"version", kJsonVersion},
          {"variables", finding.variables},
          {"nonlinearity", finding.summary.nonlinearity},
          {"max_abs", finding.summary.max_abs},
          {"degree", finding.degree},
          {"histogram", histogram}};
}

// A batch is an array, or blocks separated by an empty line.
std::string report(Tables tables, bool batch, const SpectralRequest& request) {
  auto objects = nlohmann::ordered_json::array();
  std::string text;
  const bool json = request.arguments.has("json");
  for (TruthTable& table : tables) {
    const Finding finding = find(std::move(table), tables.size(), request);
    if (json) {
      objects.push_back(as_json(finding));
    } else {
      if (!text.empty()) text += '\n';
      text += as_text(finding);
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
