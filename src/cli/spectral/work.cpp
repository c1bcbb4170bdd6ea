#include "cli/spectral/work.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "cli/files/files.hpp"
#include "cli/process/calibration.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {

SpectralEngine spectral_engine(const Arguments& arguments) {
  SpectralEngine engine;
  const std::string name = arguments.value("engine").value_or("auto");
  engine.automatic = name == "auto";
  if (name.starts_with("cuda:")) {
    int index = 0;
    const auto [end, error] = std::from_chars(name.data() + 5, name.data() + name.size(), index);
    if (error != std::errc() || end != name.data() + name.size()) {
      throw Error(Errc::usage,
                  fmt::format("no engine '{}'; there are auto, cpu and cuda:N", printable(name)));
    }
    engine.device = index;
  } else if (name != "auto" && name != "cpu") {
    throw Error(Errc::usage, fmt::format("no engine '{}'; there are auto, cpu and cuda:N", printable(name)));
  }
  const std::string algorithm = arguments.value("algorithm").value_or("fast");
  if (algorithm == "fast") return engine;
  if (algorithm.size() != 1 || algorithm[0] < '0' || algorithm[0] > '6') {
    throw Error(Errc::usage, fmt::format("--algorithm takes fast or 0 to 6, not '{}'", printable(algorithm)));
  }
  engine.algorithm = algorithm[0] - '0';
  if (*engine.algorithm == 0 && engine.device) throw Error(Errc::usage, "algorithm 0 is for the cpu");
  if (*engine.algorithm != 0 && name == "cpu") throw Error(Errc::usage, "algorithms 1 to 6 are for gpus");
  if (*engine.algorithm != 0 && !engine.device) engine.device = 0;
  return engine;
}

void say_engine(std::string_view what, std::optional<int> device, unsigned threads) {
  const std::string engine =
      device ? fmt::format("cuda:{}", *device) : fmt::format("cpu, {} threads", threads);
  say_detail(fmt::format("{}: {}", what, engine));
}

std::optional<int> device_for(const SpectralRequest& request, choice::Work work, std::uint64_t values,
                              int variables) {
  if (!request.engine.automatic) return request.engine.device;
  if (request.gpu.is_left_out()) return std::nullopt;
  const bool faster = gpu_is_faster({.work = work,
                                     .units = static_cast<double>(values) * variables,
                                     .threads = request.pool.threads(),
                                     .gpu_has_started = request.gpu.has_started()});
  return faster ? std::optional(kAutomaticDevice) : std::nullopt;
}

ExpectValues expect_gpu(const SpectralRequest& request, choice::Work work) {
  return [&request, work](std::uint64_t values) {
    const auto device = device_for(request, work, values, static_cast<int>(std::bit_width(values)) - 1);
    if (values != 0 && device) request.gpu.expect(*device);
  };
}

std::vector<std::string> file_operands(const SpectralRequest& request, std::size_t most) {
  std::vector<std::string> names(request.arguments.operands().begin() + 1,
                                 request.arguments.operands().end());
  if (names.empty()) names.emplace_back(kStandardStream);
  if (names.size() > most) {
    throw Error(Errc::usage, fmt::format("{} takes {} here, not {}", request.arguments.operands()[0],
                                         most == 1 ? "one file" : "two files", names.size()));
  }
  return names;
}

void note_false_name(std::string_view name, bool npy) {
  if (npy || !name.ends_with(".npy")) return;
  say_note(fmt::format("{}: the name ends in .npy, but the content is not in that format", printable(name)));
}

void write_output(const Arguments& arguments, const ResultOptions& options,
                  const std::function<void(stream::Sink&)>& write) {
  const std::string name = arguments.value(options.option).value_or(std::string(kStandardStream));
  if (options.is_report && arguments.has("quiet") && name == kStandardStream) return;
  std::optional<Output> output;
  try {
    output.emplace(name, OutputOptions{.replace = arguments.has("force"),
                                       .binary = options.binary,
                                       .input = options.input,
                                       .like = {},
                                       .threads = options.threads});
    output->reserve(options.expected_bytes);
    write(*output);
    output->finish();
    output->commit();
    note_false_name(name, options.npy);
  } catch (const ReaderGone&) {
    throw;
  } catch (const OutputError& error) {
    const std::string state = output ? "; " + output->state() : "";
    throw Error(error.code(), fmt::format("{}: {}{}", output_title(name), error.text(), state));
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}; {}", error.text(), output->state()));
  }
}

}  // namespace fugu::cli
