// Nonlinearity, degree and spectrum of Boolean functions, one block of lines or one JSON object each.
#include "cli/spectral/nonlinearity.hpp"

#include <fmt/format.h>

#include <bit>
#include <chrono>

#include "cli/files/work_options.hpp"
#include "cli/process/console.hpp"
#include "cli/process/json.hpp"
#include "cli/spectral/input.hpp"
#include "cli/spectral/pace.hpp"
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

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Chooses the engine for one function. auto decides by the time of earlier runs here; the other operations
// use a GPU only on request: copying their values takes longer than transforming them
// (tools/bench/results/shell_spectral_h200.csv).
class Finder {
 public:
  explicit Finder(const SpectralRequest& request)
      : request_(request),
        pace_(keeps(request) ? calibration_path("spectral") : std::string(), request.pool.threads()) {}

  // Called before the input is read: starts the GPU meanwhile if `values` predicts that it will be used.
  void expect(std::uint64_t values) {
    if (request_.engine.automatic && values != 0 && device_for(values)) request_.gpu.expect(kAutomaticDevice);
  }

  Finding find(TruthTable table) {
    const std::optional<int> device = device_for(table.size());
    if (device && table.variables() > 0) {
      try {
        return find_on_gpu(table, *device);
      } catch (const Error& error) {
        if (!request_.engine.automatic) throw;
        if (error.code() != Errc::no_device) say_note(fmt::format("the gpu is left out: {}", error.text()));
      }
    }
    return find_on_cpu(std::move(table));
  }

 private:
  static constexpr int kAutomaticDevice = 0;

  static bool keeps(const SpectralRequest& request) {
    return request.engine.automatic && device::built_with_cuda();
  }

  std::optional<int> device_for(std::uint64_t values) const {
    if (!request_.engine.automatic) return request_.engine.device;
    // Whether there is a GPU shows when it is started: asking first would make reading wait for that.
    const int variables = static_cast<int>(std::bit_width(values)) - 1;
    const bool worth_it = device::built_with_cuda() && pace_.gpu_is_faster(values, variables);
    return worth_it ? std::optional<int>(kAutomaticDevice) : std::nullopt;
  }

  // Everything from one upload.
  Finding find_on_gpu(const TruthTable& table, int device) {
    const bool starts = !request_.gpu.is_there();
    const Clock::time_point begin = Clock::now();
    const Gpu& gpu = request_.gpu.get(device);
    gpu.require_for(table);
    const auto words = spectral::cuda::upload(table, gpu.stream);
    const int n = table.variables();
    const int degree = spectral::cuda::algebraic_degree(words.span(), n, gpu.stream);
    Finding finding{
        n, degree,
        spectral::cuda::summarize_spectrum(words.span(), n, spectral::cuda::Histogram::yes, gpu.stream)};
    if (request_.engine.automatic && starts) pace_.keep_gpu(table.size(), seconds_since(begin));
    say_engine(request_, device);
    return finding;
  }

  Finding find_on_cpu(TruthTable table) {
    const Clock::time_point begin = Clock::now();
    const int variables = table.variables();
    const std::uint64_t values = table.size();
    spectral::SpectrumSummary summary = spectral::summarize_spectrum(table, request_.work());
    const int degree = spectral::algebraic_degree(std::move(table), request_.work());
    if (request_.engine.automatic) pace_.keep_cpu(values, variables, seconds_since(begin));
    say_engine(request_, std::nullopt);
    return {variables, degree, std::move(summary)};
  }

  const SpectralRequest& request_;
  NonlinearityPace pace_;
};

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
std::string report(Tables tables, bool batch, Finder& finder, const SpectralRequest& request) {
  auto objects = nlohmann::ordered_json::array();
  std::string text;
  const bool json = request.arguments.has("json");
  for (TruthTable& table : tables) {
    const Finding finding = finder.find(std::move(table));
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
  Finder finder(request);
  SpectralInput input = read_input(name, request.arguments, Needs::table, request.pool,
                                   [&](std::uint64_t values) { finder.expect(values); });
  const std::string text =
      report(std::get<Tables>(std::move(input.data)), input.shape.two_dimensional, finder, request);
  write_output(request.arguments, {.is_report = !request.arguments.has("json"), .input = input.file},
               [&](stream::Sink& sink) { sink.write(std::as_bytes(std::span(text))); });
}

}  // namespace fugu::cli
