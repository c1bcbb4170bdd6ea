#include "cli/lab/work.hpp"

#include <bit>
#include <charconv>
#include <system_error>

namespace fugu::cli {

void say_engine(std::string_view what, std::optional<int> device, unsigned threads) {
  const std::string engine =
      device ? fmt::format("cuda:{}", *device) : fmt::format("cpu, {} threads", threads);
  say_detail(fmt::format("{}: {}", what, engine));
}

ExpectValues expect_gpu(const SpectralRequest& request, choice::WorkKind work) {
  return [&request, work](std::uint64_t values) {
    request.gpu.expect(work, transform_units(values, static_cast<int>(std::bit_width(values)) - 1));
  };
}

void say_estimate(const SpectralRequest& request, choice::WorkKind work, double units) {
  const double seconds =
      calibration().cpu_seconds({.work = work, .units = units, .threads = request.pool.threads()});
  if (seconds > kShownSeconds)
    say_note_once(fmt::format("{} takes {}", request.arguments.operands()[0], estimate_text(seconds)));
}

std::vector<std::string> file_operands(const SpectralRequest& request, std::size_t count) {
  std::vector<std::string> names(request.arguments.operands().begin() + 1,
                                 request.arguments.operands().end());
  if (names.empty()) names.emplace_back(kStandardStream);
  if (names.size() > count) {
    refuse("{} takes {}, not {}", request.arguments.operands()[0], count == 1 ? "one file" : "two files",
           names.size());
  }
  if (names.size() < count) refuse("convolve takes two files; one of them may be -");
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

std::string estimate_text(double seconds) {
  if (seconds < 120) return fmt::format("about {:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("about {:.0f} min", seconds / 60);
  return fmt::format("about {:.0f} h", seconds / 3600);
}

void require_asked(const Arguments& arguments, std::string_view what, double core_seconds) {
  if (core_seconds <= kAskedSeconds || arguments.has("exhaustive")) return;
  refuse("{} take {} on one core; --exhaustive computes them", what, estimate_text(core_seconds));
}

spectral::Progress long_work(const Arguments& arguments, const std::string& what, std::uint64_t total,
                             double seconds, std::string_view unit) {
  if (seconds > kShownSeconds) say_note(fmt::format("{} take {}", what, estimate_text(seconds)));
  const auto progress = std::make_shared<Progress>(progress_style(arguments),
                                                   total == 0 ? std::nullopt : std::optional(total), unit);
  return [progress](std::uint64_t count) { progress->counters().bytes_read += count; };
}

spectral::Progress shown_work(const Arguments& arguments, const std::string& what, std::uint64_t steps,
                              double seconds, std::string_view unit) {
  return seconds > kShownSeconds ? long_work(arguments, what, steps, seconds, unit) : spectral::Progress();
}

double search_seconds(const Arguments& arguments) {
  return arguments.has("exhaustive") ? 0 : spectral::kSearchSeconds;
}

spectral::Progress search_work(const Arguments& arguments, std::string what, std::uint64_t total,
                               double seconds) {
  const auto show = [&arguments, what, total, seconds](double elapsed, std::uint64_t steps) {
    const std::string_view unit = std::string_view(what).substr(0, what.find(' '));
    if (total != 0) {
      const double all = steps == 0 ? 0 : elapsed * static_cast<double>(total) / static_cast<double>(steps);
      return long_work(arguments, fmt::format("up to {} {}", total, what), total, all, unit);
    }
    say_note(what + (seconds == 0 ? " go on without a limit; Ctrl-C ends them"
                                  : fmt::format(" take up to {:.0f} s", seconds)));
    return long_work(arguments, what, 0, 0, unit);
  };
  using Clock = std::chrono::steady_clock;
  return [show, begin = Clock::now(), counted = std::uint64_t{0},
          shown = spectral::Progress()](std::uint64_t steps) mutable {
    counted += steps;
    if (shown) return shown(steps);
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    if (elapsed > kShownSeconds) (shown = show(elapsed, counted))(counted);
  };
}

spectral::SearchOptions search_options(const Arguments& arguments, std::string what) {
  const double seconds = search_seconds(arguments);
  return {.deadline = spectral::deadline_after(seconds),
          .done = search_work(arguments, std::move(what), 0, seconds)};
}

SpectralEngine spectral_engine(const Arguments& arguments) {
  SpectralEngine engine;
  const std::string name = arguments.value("engine").value_or("auto");
  engine.automatic = name == "auto";
  if (name.starts_with("cuda:")) {
    int index = 0;
    const auto [end, error] = std::from_chars(name.data() + 5, name.data() + name.size(), index);
    if (error == std::errc() && end == name.data() + name.size()) engine.device = index;
  }
  if (!engine.device && !engine.automatic && name != "cpu")
    refuse("no engine '{}'; choose from auto, cpu and cuda:N", printable(name));
  const std::string algorithm = arguments.value("algorithm").value_or("fast");
  if (algorithm == "fast") return engine;
  if (algorithm.size() != 1 || algorithm[0] < '0' || algorithm[0] > '6')
    refuse("--algorithm takes fast or 0 to 6, not '{}'", printable(algorithm));
  engine.algorithm = algorithm[0] - '0';
  engine.automatic = false;
  if (*engine.algorithm == 0 && engine.device) refuse("algorithm 0 is for --engine cpu");
  if (*engine.algorithm != 0 && name == "cpu") refuse("algorithms 1 to 6 need a GPU");
  if (*engine.algorithm != 0 && !engine.device) engine.device = 0;
  return engine;
}

void Gpu::require(std::uint64_t bytes) const {
  if (bytes <= context.info().memory_bytes) return;
  throw Error(Errc::engine, fmt::format("this needs {} of memory on the GPU, which has {}; use --engine cpu",
                                        bytes_text(static_cast<double>(bytes)),
                                        bytes_text(static_cast<double>(context.info().memory_bytes))));
}

std::optional<int> GpuOfRun::device_for(choice::WorkKind work, double units) const {
  if (!automatic_) return named_;
  const bool has_started = gpu_.has_value() || starting_.valid();  // only the rest of the wait remains
  if (or_cpu_.is_left_out() ||
      !gpu_is_faster({.work = work, .units = units, .threads = threads_, .gpu_has_started = has_started}))
    return std::nullopt;
  return kAutomaticDevice;
}

void GpuOfRun::expect(int device) {
  if (gpu_ || starting_.valid()) return;
  try {
    starting_ = std::async(std::launch::async, [device] { return Gpu(device); });
  } catch (const std::system_error&) {  // no thread available: started() starts it
  }
}

void GpuOfRun::expect(choice::WorkKind work, double units) {
  if (const auto device = device_for(work, units)) expect(*device);
}

const Gpu& GpuOfRun::started(int device) {
  if (!gpu_) gpu_ = starting_.valid() ? starting_.get() : Gpu(device);
  return *gpu_;
}

const Gpu* GpuOfRun::get(int device) {
  return or_cpu_.attempt([&] { return &started(device); }).value_or(nullptr);
}

void GpuOfRun::say_why(const Error& failure) {
  if (failure.code() != Errc::no_device) say_note(device::GpuOrCpu::text_of(failure));
}

std::optional<int> GpuOfRun::used() const {
  return gpu_ && !or_cpu_.is_left_out() ? std::optional(gpu_->context.info().index) : std::nullopt;
}

}  // namespace fugu::cli
