#include "cli/lab/work.hpp"

#include <fmt/format.h>

#include <bit>

#include "cli/files/files.hpp"
#include "cli/lab/long_work.hpp"
#include "cli/process/calibration.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {

void say_engine(std::string_view what, std::optional<int> device, unsigned threads) {
  const std::string engine =
      device ? fmt::format("cuda:{}", *device) : fmt::format("cpu, {} threads", threads);
  say_detail(fmt::format("{}: {}", what, engine));
}

ExpectValues expect_gpu(const SpectralRequest& request, choice::Work work) {
  return [&request, work](std::uint64_t values) {
    request.gpu.expect(work, transform_units(values, static_cast<int>(std::bit_width(values)) - 1));
  };
}

void say_estimate(const SpectralRequest& request, choice::Work work, double units) {
  const double seconds =
      calibration().cpu_seconds({.work = work, .units = units, .threads = request.pool.threads()});
  if (seconds > LongWork::kShownSeconds)
    say_note_once(fmt::format("{} takes {}", request.arguments.operands()[0], estimate_text(seconds)));
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
    output.emplace(name, OutputOptions{.file = {.replace = arguments.has("force"),
                                                .input = options.input,
                                                .threads = options.threads},
                                       .binary = options.binary});
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

void write_output(const Arguments& arguments, const ResultOptions& options, std::string_view text) {
  write_output(arguments, options, [&](stream::Sink& sink) { sink.write(std::as_bytes(std::span(text))); });
}

}  // namespace fugu::cli
