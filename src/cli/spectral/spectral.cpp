// fugu spectral: Walsh spectra, dyadic convolution and character tables from the shell.
#include <fmt/format.h>

#include <new>

#include "cli/cipher/files.hpp"
#include "cli/commands.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/process/json.hpp"
#include "cli/process/progress.hpp"
#include "cli/spectral/characters.hpp"
#include "cli/spectral/input.hpp"
#include "cli/spectral/properties.hpp"
#include "cli/spectral/work.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/cuda/dyadic.hpp"
#include "fugu/spectral/cuda/on_device.hpp"
#include "fugu/spectral/cuda/papers/papers.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "fugu/spectral/papers/papers.hpp"

namespace fugu::cli {
namespace {

using spectral::Ordering;
using spectral::TruthTable;

constexpr Choice<Ordering> kOrderings[] = {
    {"natural", Ordering::natural}, {"dyadic", Ordering::dyadic}, {"sequency", Ordering::sequency}};

struct Gpu {
  explicit Gpu(int index) : context(index), stream(context) {}

  // What is asked for must fit before anything is copied.
  void require(std::uint64_t bytes) const {
    if (bytes > context.info().memory_bytes) {
      throw Error(Errc::engine, fmt::format("this takes {} on the gpu, which has {}; use --engine cpu",
                                            bytes_text(static_cast<double>(bytes)),
                                            bytes_text(static_cast<double>(context.info().memory_bytes))));
    }
  }

  device::Context context;
  device::Stream stream;
};

struct Request {
  const Arguments& arguments;
  SpectralEngine engine;
  Ordering ordering;
  unsigned threads;
};

template <class T>
std::vector<T> polarity_of(const TruthTable& table) {
  std::vector<T> values(table.size());
  for (std::size_t x = 0; x < values.size(); ++x) values[x] = table[x] ? T{-1} : T{1};
  return values;
}

// The numbers of the input; of a truth table its polarity, or its 0s and 1s.
enum class TableMeans : std::uint8_t { polarity, bits };

Values numbers_of(Input& input, TableMeans means) {
  if (auto* values = std::get_if<Values>(&input.data)) return std::move(*values);
  const auto& table = std::get<TruthTable>(input.data);
  input.row_size = table.size();
  if (means == TableMeans::polarity) return polarity_of<std::int32_t>(table);
  std::vector<std::int64_t> bits(table.size());
  for (std::size_t x = 0; x < bits.size(); ++x) bits[x] = table[x] ? 1 : 0;
  return bits;
}

// Whether the sum of |x| over each row fits: it bounds every sum of a transform, and of the inverse before
// its scale.
template <class T>
bool sums_fit(const std::vector<T>& values, std::uint64_t row_size) {
  if constexpr (std::is_integral_v<T>) {
    constexpr auto kLimit = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    for (std::uint64_t row = 0; row < values.size(); row += row_size) {
      std::uint64_t sum = 0;
      for (std::uint64_t i = row; i < row + row_size; ++i) {
        const auto x = static_cast<std::int64_t>(values[i]);
        const std::uint64_t magnitude =
            x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
        if (magnitude > kLimit - sum) return false;
        sum += magnitude;
      }
    }
  }
  return true;
}

template <class T>
void check_range(const std::vector<T>& values, std::uint64_t row_size, bool inverse) {
  if (sums_fit(values, row_size)) return;
  throw Error(Errc::usage,
              fmt::format("{}coefficients may exceed {}-bit integers; use --type {}",
                          inverse ? "sums of " : "", 8 * sizeof(T), sizeof(T) == 4 ? "int64" : "float64"));
}

void run_paper(std::vector<std::int32_t>& values, const Request& request, std::uint64_t row_size) {
  if (row_size != values.size() || request.ordering != Ordering::natural) {
    throw Error(Errc::usage, "the paper's algorithms transform one row, in natural order");
  }
  if (*request.engine.algorithm == 0) return spectral::paper_walsh_0(values);
  Gpu gpu(*request.engine.device);
  gpu.require(8 * values.size());
  const device::Buffer<std::int32_t> other(gpu.stream, values.size(), device::Contents::open);
  spectral::cuda::on_device(std::span(values), gpu.stream, [&](device::DeviceSpan<std::int32_t> there) {
    spectral::cuda::paper_walsh(*request.engine.algorithm, there, other.span(), {}, gpu.stream);
  });
}

template <class T>
void transform(std::vector<T>& values, bool inverse, const Request& request, std::uint64_t row_size) {
  const int n = spectral::log2_exact(row_size);
  check_range(values, row_size, inverse);
  if (request.engine.algorithm) {
    if constexpr (std::is_same_v<T, std::int32_t>) {
      if (!inverse) return run_paper(values, request, row_size);
    }
    throw Error(Errc::usage, "the paper's algorithms are for walsh and int32; give --type int32");
  }
  if (request.engine.device) {
    Gpu gpu(*request.engine.device);
    gpu.require((request.ordering == Ordering::natural ? 1 : 2) * values.size() * sizeof(T));
    spectral::cuda::on_device(std::span(values), gpu.stream, [&](device::DeviceSpan<T> there) {
      inverse ? spectral::cuda::inverse_walsh(there, n, request.ordering, gpu.stream)
              : spectral::cuda::walsh(there, n, request.ordering, gpu.stream);
    });
    return;
  }
  const spectral::WalshOptions options{.ordering = request.ordering, .threads = request.threads};
  inverse ? spectral::inverse_walsh(std::span(values), n, options)
          : spectral::walsh(std::span(values), n, options);
}

// Results go out as they came in, a truth table's as text, unless --to says otherwise.
void write_result_values(const Request& request, const Input& input, const Values& values,
                         std::uint64_t row_size, std::optional<stream::FileId> id) {
  const bool raw = format_option(request.arguments, "from") == ValueFormat::raw;
  const auto fallback = raw ? ValueFormat::raw : input.from_npy ? ValueFormat::npy : ValueFormat::text;
  const ValueFormat to = format_option(request.arguments, "to").value_or(fallback);
  write_output(request.arguments, to == ValueFormat::npy || to == ValueFormat::raw, id,
               [&](stream::Sink& sink) { write_values(values, row_size, to, sink); });
}

std::vector<std::string> data_names(const Request& request, std::size_t most) {
  std::vector<std::string> names(request.arguments.operands().begin() + 1,
                                 request.arguments.operands().end());
  if (names.empty()) names.emplace_back(kStandardStream);
  if (names.size() > most) {
    throw Error(Errc::usage, fmt::format("{} takes {} here, not {}", request.arguments.operands()[0],
                                         most == 1 ? "one file" : "two files", names.size()));
  }
  return names;
}

// A truth table goes to the GPU as bits. Beside them there are 16-bit and 32-bit values.
Gpu gpu_for(const TruthTable& table, int device) {
  Gpu gpu(device);
  gpu.require(7 * table.size());
  return gpu;
}

Values widened(Values values) {
  if (const auto* narrow = std::get_if<std::vector<std::int32_t>>(&values)) {
    return std::vector<std::int64_t>(narrow->begin(), narrow->end());
  }
  return values;
}

// 2^n times a function of 32-bit integers may need more before the inverse divides.
Values transformed(Input& input, bool inverse, const Request& request) {
  const auto* table = std::get_if<TruthTable>(&input.data);
  const bool fast =
      request.engine.device && !request.engine.algorithm && request.ordering == Ordering::natural;
  if (table != nullptr && table->variables() > 0 && !inverse && fast) {
    input.row_size = table->size();
    return spectral::cuda::walsh_spectrum(*table, gpu_for(*table, *request.engine.device).stream);
  }
  Values values = numbers_of(input, TableMeans::polarity);
  const auto* narrow = std::get_if<std::vector<std::int32_t>>(&values);
  const bool widen = inverse && narrow != nullptr && !sums_fit(*narrow, input.row_size);
  if (widen) values = widened(std::move(values));
  std::visit([&](auto& v) { transform(v, inverse, request, input.row_size); }, values);
  return widen ? as_type(std::move(values), ValueType::int32) : std::move(values);
}

void run_transform(const Request& request, bool inverse) {
  const std::string name = data_names(request, 1)[0];
  Input input = read_input(name, request.arguments);
  const Values values = transformed(input, inverse, request);
  write_result_values(request, input, values, input.row_size, open_input_id(name));
}

template <class T>
void convolve(std::vector<T>& f, std::vector<T>& g, const Request& request) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    throw Error(Errc::engine, "convolution in 32 bits");  // callers widen
  } else {
    if (request.engine.algorithm) throw Error(Errc::usage, "--algorithm is for walsh");
    if (!request.engine.device)
      return spectral::dyadic_convolve(std::span(f), std::span(g), {.threads = request.threads});
    Gpu gpu(*request.engine.device);
    gpu.require(2 * f.size() * sizeof(T));
    spectral::cuda::dyadic_convolve(std::span(f), std::span(g), gpu.stream);
  }
}

void require_one_row(const Values& values, std::uint64_t row_size) {
  const std::uint64_t count = std::visit([](const auto& v) { return std::uint64_t{v.size()}; }, values);
  if (count != row_size) throw Error(Errc::usage, "one function at a time, not rows of them");
}

void run_convolve(const Request& request) {
  const std::vector<std::string> names = data_names(request, 2);
  if (names.size() != 2) throw Error(Errc::usage, "convolve takes two files; one of them may be -");
  Input first = read_input(names[0], request.arguments);
  Input second = read_input(names[1], request.arguments);
  Values f = widened(numbers_of(first, TableMeans::bits));
  Values g = widened(numbers_of(second, TableMeans::bits));
  require_one_row(f, first.row_size);
  require_one_row(g, second.row_size);
  if (f.index() != g.index()) throw Error(Errc::usage, "the functions have two types; give --type");
  std::visit([&](auto& v) { convolve(v, std::get<std::remove_reference_t<decltype(v)>>(g), request); }, f);
  write_result_values(request, first, f, first.row_size, open_input_id(names[0]));
}

void run_autocorrelate(const Request& request) {
  const std::string name = data_names(request, 1)[0];
  Input input = read_input(name, request.arguments);
  Values values = widened(numbers_of(input, TableMeans::polarity));
  require_one_row(values, input.row_size);
  std::visit([&](auto& v) { convolve(v, v, request); }, values);
  write_result_values(request, input, values, input.row_size, open_input_id(name));
}

TruthTable table_of(Input input) {
  if (const auto* table = std::get_if<TruthTable>(&input.data)) return *table;
  const auto& values = std::get<Values>(input.data);
  require_one_row(values, input.row_size);
  return std::visit(
      [](const auto& v) {
        TruthTable table(spectral::log2_exact(v.size()));
        for (std::size_t x = 0; x < v.size(); ++x) {
          if (v[x] != 0 && v[x] != 1) {
            throw Error(Errc::usage, fmt::format("value {} is {}: a truth table has 0 and 1 only", x, v[x]));
          }
          table.set(x, v[x] != 0);
        }
        return table;
      },
      values);
}

// From here on a GPU is done before 16 cores are, its start included. The other operations are not worth one
// that was not asked for: their values take longer to travel than to transform
// (tools/bench/results/shell_spectral_h200.csv).
constexpr int kLeastVariablesForGpu = 27;

std::optional<int> device_for(const TruthTable& table, const SpectralEngine& engine) {
  if (!engine.automatic) return engine.device;
  const bool worth_it = table.variables() >= kLeastVariablesForGpu && !device::inventory().devices.empty();
  return worth_it ? std::optional<int>(0) : std::nullopt;
}

struct Summary {
  spectral::SpectrumSummary spectrum;
  int degree;
};

// Both from one upload.
Summary summarize_on_gpu(const TruthTable& table, const device::Stream& stream) {
  const auto words = spectral::cuda::upload(table, stream);
  const int n = table.variables();
  return {spectral::cuda::summarize_spectrum(words.span(), n, spectral::cuda::Histogram::yes, stream),
          spectral::cuda::algebraic_degree(words.span(), n, stream)};
}

Summary summarize(const TruthTable& table, const Request& request) {
  const std::optional<int> device = device_for(table, request.engine);
  if (device && table.variables() > 0) {
    try {
      return summarize_on_gpu(table, gpu_for(table, *device).stream);
    } catch (const Error& error) {
      if (!request.engine.automatic) throw;
      say_note(fmt::format("the gpu is left out: {}", error.text()));
    }
  }
  const spectral::WalshOptions options{.threads = request.threads};
  return {spectral::summarize_spectrum(table, options), spectral::algebraic_degree(table, options)};
}

void run_nonlinearity(const Request& request) {
  const std::string name = data_names(request, 1)[0];
  const TruthTable table = table_of(read_input(name, request.arguments));
  if (request.engine.algorithm) throw Error(Errc::usage, "--algorithm is for walsh");
  const auto [summary, degree] = summarize(table, request);
  std::string text = fmt::format("variables {}\nnonlinearity {}\nlargest coefficient {}\ndegree {}\n",
                                 table.variables(), summary.nonlinearity, summary.max_abs, degree);
  for (const auto& [value, count] : summary.histogram)
    text += fmt::format("W = {}: {} times\n", value, count);
  if (request.arguments.has("json")) {
    auto histogram = nlohmann::ordered_json::array();
    for (const auto& [value, count] : summary.histogram) histogram.push_back({value, count});
    text = json_text({{"variables", table.variables()},
                      {"nonlinearity", summary.nonlinearity},
                      {"max_abs", summary.max_abs},
                      {"degree", degree},
                      {"histogram", histogram}});
  }
  write_output(request.arguments, false, open_input_id(name),
               [&](stream::Sink& sink) { sink.write(std::as_bytes(std::span(text))); });
}

constexpr std::string_view kOperations =
    "walsh, inverse, nonlinearity, convolve, autocorrelate, characters, properties, anf";

void run_operation(const std::string& operation, const Request& request) {
  if (operation == "walsh") {
    run_transform(request, false);
  } else if (operation == "inverse") {
    run_transform(request, true);
  } else if (operation == "nonlinearity") {
    run_nonlinearity(request);
  } else if (operation == "convolve") {
    run_convolve(request);
  } else if (operation == "autocorrelate") {
    run_autocorrelate(request);
  } else if (operation == "characters") {
    run_characters(request.arguments);
  } else if (operation == "properties") {
    run_properties(request.arguments, data_names(request, 1)[0]);
  } else if (operation == "anf") {
    run_anf(request.arguments, data_names(request, 1)[0]);
  } else {
    throw Error(Errc::usage,
                fmt::format("no operation '{}'; there are {}", printable(operation), kOperations));
  }
}

}  // namespace

int run_spectral(const Arguments& arguments) {
  if (arguments.operands().empty()) {
    throw Error(Errc::usage,
                fmt::format("an operation is missing: {}; see fugu spectral --help", kOperations));
  }
  const Request request{arguments, spectral_engine(arguments),
                        choice_value(arguments, "order", kOrderings).value_or(Ordering::natural),
                        static_cast<unsigned>(number_value(arguments, "threads", 1, 4096, 0))};
  check_spectral_files(arguments);
  try {
    run_operation(arguments.operands()[0], request);
  } catch (const std::bad_alloc&) {
    throw Error(Errc::io, "not enough memory; all values of a transform have to fit there");
  }
  return kSuccess;
}

}  // namespace fugu::cli
