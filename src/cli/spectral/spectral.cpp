// fugu spectral: Walsh spectra, dyadic convolution and character tables from the shell.

#include "cli/commands.hpp"
#include "cli/spectral/operations.hpp"

namespace fugu::cli {
namespace {

using spectral::Ordering;

constexpr Choice<Ordering> kOrderings[] = {
    {"natural", Ordering::natural}, {"dyadic", Ordering::dyadic}, {"sequency", Ordering::sequency}};

// An operation, and the options that apply to it beside those of every operation.
struct Operation {
  std::string_view name;
  std::string_view options;
  void (*run)(const SpectralRequest&);
  bool cpu_only = false;
};

constexpr std::string_view kTransformOptions = "from to as type order row-bits variables algorithm bit-order";
constexpr std::string_view kTableOptions = "from as type row-bits variables json bit-order";
constexpr std::string_view kConvolutionOptions = "from to as type row-bits variables bit-order";
constexpr std::string_view kGroupTransformOptions = "group to as values modulus inverse";

constexpr Operation kOperations[] = {
    {"walsh", kTransformOptions, [](const SpectralRequest& request) { run_transform(request, false); }},
    {"inverse", kTransformOptions, [](const SpectralRequest& request) { run_transform(request, true); }},
    {"nonlinearity", kTableOptions, run_nonlinearity},
    {"convolve", kConvolutionOptions, run_convolve},
    {"autocorrelate", kConvolutionOptions, run_autocorrelate},
    {"characters", "to values rows columns row-order", run_characters},
    {"properties", kTableOptions, run_properties, true},
    {"anf", kConvolutionOptions, run_anf, true},
    {"vilenkin-chrestenson", kGroupTransformOptions, run_vilenkin_chrestenson},
};

// The operations with --group.
constexpr Operation kGroupOperations[] = {
    {"vilenkin-chrestenson", kGroupTransformOptions, run_vilenkin_chrestenson},
    {"convolve", "group to", run_group_convolve, true},
    {"autocorrelate", "group to", run_group_autocorrelate, true},
    {"properties", "group json", run_group_properties, true},
};

const Operation& find_operation(const Arguments& arguments) {
  const Operation& found = operation_of(arguments, "spectral", kOperations);
  if (!arguments.has("group")) return found;
  const auto* const of_group = std::ranges::find(kGroupOperations, found.name, &Operation::name);
  return of_group == std::end(kGroupOperations) ? found : *of_group;
}

SpectralEngine engine_of(const Operation& operation, const Arguments& arguments) {
  const SpectralEngine engine = spectral_engine(arguments);
  if (!engine.device || !operation.cpu_only) return engine;
  throw Error(Errc::no_device, fmt::format("{}{} runs only on the CPU; use --engine cpu", operation.name,
                                           arguments.has("group") ? " over a group" : ""));
}

// Checks, before anything is read or computed, that no result replaces its input. Throws Error{io}, also for
// a missing input.
void check_files(const Arguments& arguments) {
  const std::string output = arguments.value("output").value_or(std::string(kStandardStream));
  std::vector<std::string> inputs{std::string(kStandardStream)};
  if (arguments.operands()[0] != "characters")
    inputs.insert(inputs.end(), arguments.operands().begin() + 1, arguments.operands().end());
  for (const std::string& input : inputs) {
    try {
      check_task({input, output}, arguments.has("force"));
    } catch (const OutputError& error) {
      throw Error(error.code(), fmt::format("{}: {}", output_title(output), error.text()));
    } catch (Error& error) {
      error.add_context(printable(input));
      throw;
    }
  }
}

}  // namespace

std::vector<std::string_view> spectral_operations() {
  return names_in(kOperations);
}

int run_spectral(const Arguments& arguments) {
  const Operation& operation = find_operation(arguments);
  refuse_unused_options(arguments, operation.name, operation.options);
  threads::ThreadPool pool(thread_count(arguments));
  const SpectralEngine engine = engine_of(operation, arguments);
  GpuOfRun gpu(engine, pool.threads());
  const SpectralRequest request{
      arguments, engine, choice_value(arguments, "order", kOrderings).value_or(Ordering::natural), pool, gpu};
  check_files(arguments);
  if (engine.device) gpu.expect(*engine.device);
  try {
    operation.run(request);
  } catch (...) {
    if (current_failure().code() != Errc::memory) throw;
    throw Error(Errc::io, "not enough memory: all values of a transform have to fit in it");
  }
  say_engine(operation.name, engine.device ? engine.device : gpu.used(), pool.threads());
  return kSuccess;
}

}  // namespace fugu::cli
