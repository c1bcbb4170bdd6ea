// Nonlinearity, degree and spectrum of Boolean functions, one block of lines or one JSON object each.
#include "cli/spectral/nonlinearity.hpp"

#include <fmt/format.h>

#include "cli/process/console.hpp"
#include "cli/process/json.hpp"
#include "cli/spectral/gpu.hpp"
#include "cli/spectral/input.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/cuda/walsh.hpp"

namespace fugu::cli {
namespace {

using spectral::TruthTable;

struct Finding {
  int variables;
  int degree;
  spectral::SpectrumSummary summary;
};

// From here on a GPU is done before 16 cores are, its start included. The other operations are not worth one
// that was not asked for: their values take longer to travel than to transform
// (tools/bench/results/shell_spectral_h200.csv).
constexpr int kLeastVariablesForGpu = 27;

std::optional<int> device_for(const TruthTable& table, const SpectralEngine& engine) {
  if (!engine.automatic) return engine.device;
  const bool worth_it = table.variables() >= kLeastVariablesForGpu && !device::inventory().devices.empty();
  return worth_it ? std::optional<int>(0) : std::nullopt;
}

// Both from one upload.
Finding find_on_gpu(const TruthTable& table, const device::Stream& stream) {
  const auto words = spectral::cuda::upload(table, stream);
  const int n = table.variables();
  const int degree = spectral::cuda::algebraic_degree(words.span(), n, stream);
  return {n, degree,
          spectral::cuda::summarize_spectrum(words.span(), n, spectral::cuda::Histogram::yes, stream)};
}

Finding find(TruthTable table, const SpectralRequest& request) {
  const std::optional<int> device = device_for(table, request.engine);
  if (device && table.variables() > 0) {
    try {
      const Finding finding = find_on_gpu(table, gpu_for(table, *device).stream);
      say_engine(request, device);
      return finding;
    } catch (const Error& error) {
      if (!request.engine.automatic) throw;
      say_note(fmt::format("the gpu is left out: {}", error.text()));
    }
  }
  const int variables = table.variables();
  spectral::SpectrumSummary summary = spectral::summarize_spectrum(table, request.work());
  const int degree = spectral::algebraic_degree(std::move(table), request.work());
  say_engine(request, std::nullopt);
  return {variables, degree, std::move(summary)};
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

// A batch is an array, or blocks with an empty line between them.
std::string report(Tables tables, bool batch, const SpectralRequest& request) {
  auto objects = nlohmann::ordered_json::array();
  std::string text;
  const bool json = request.arguments.has("json");
  for (TruthTable& table : tables) {
    const Finding finding = find(std::move(table), request);
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
  Input input = read_input(name, request.arguments, Needs::table, request.pool);
  const std::string text =
      report(std::get<Tables>(std::move(input.data)), input.shape.two_dimensional, request);
  write_output(request.arguments, {.is_report = !request.arguments.has("json"), .input = input.file},
               [&](stream::Sink& sink) { sink.write(std::as_bytes(std::span(text))); });
}

}  // namespace fugu::cli
