// fugu spectral: Walsh spectra, dyadic convolution and character tables from the shell.
#include "cli/commands.hpp"
#include "cli/spectral/operations.hpp"
#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/groups/characters.hpp"
#include "fugu/spectral/lab/function.hpp"

namespace fugu::cli {
namespace {

using spectral::Ordering;

// Tables of characters are written part by part, so that only the disk limits their size.

using spectral::CharacterGroup;
using spectral::RowOrder;
using spectral::TableTile;

constexpr Choice<RowOrder> kRowOrders[] = {{"kronecker", RowOrder::kronecker},
                                           {"equation1", RowOrder::equation1}};

// A whole table beyond this size is probably a mistake.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kPartBytes = std::uint64_t{1} << 26;

struct Table {
  const CharacterGroup& group;
  TableTile tile;
  RowOrder order;
  TableFormat format;
};

// A part, made on the CPU or a GPU.
template <class T>
std::vector<T> make(const Table& table, const TableTile& part, unsigned threads, const Gpu* gpu) {
  std::vector<T> made(part.rows * part.columns);
  if (gpu == nullptr) {
    spectral::character_table(table.group, part, std::span(made), table.order, threads);
    return made;
  }
  const device::Buffer<T> on_gpu(gpu->stream, made.size(), device::Contents::open);
  spectral::cuda::character_table(table.group, part, on_gpu.span(), table.order, gpu->stream);
  device::copy_to_host(std::span<T>(made), on_gpu.span(), gpu->stream);
  gpu->stream.synchronize();
  return made;
}

// The parts, of at most `most` values, in the order in which they are written: rows, or stretches of one row.
template <class Take>
void for_each_part(const TableTile& tile, std::uint64_t most, Take take) {
  const std::uint64_t columns = std::min(tile.columns, most);
  const std::uint64_t rows = std::max<std::uint64_t>(1, most / std::max<std::uint64_t>(1, tile.columns));
  for (std::uint64_t row = 0; row < tile.rows; row += rows) {
    for (std::uint64_t column = 0; column < tile.columns; column += columns) {
      take(TableTile{tile.first_row + row, std::min(rows, tile.rows - row), tile.first_column + column,
                     std::min(columns, tile.columns - column)});
    }
  }
}

template <class T>
void write_part(const Table& table, const TableTile& part, const std::vector<T>& values, stream::Sink& sink) {
  if (table.format != TableFormat::text) return sink.write(std::as_bytes(std::span(values)));
  std::string text = numbers_text(values, part.columns);
  const bool ends_rows = part.first_column + part.columns == table.tile.first_column + table.tile.columns;
  if (!ends_rows) text.back() = ' ';  // the next part continues the row
  sink.write(std::as_bytes(std::span(text)));
}

template <class T>
void write_table(const Table& table, const SpectralRequest& request) {
  const std::uint64_t values = spectral::tile_values(table.group, table.tile);
  const bool part_is_chosen = request.arguments.has("rows") || request.arguments.has("columns");
  if (!part_is_chosen && values > kMaxBytes / sizeof(T)) {
    refuse("the table would take {}; choose a part with --rows and --columns",
           bytes_text(static_cast<double>(values) * sizeof(T)));
  }
  const std::optional<int> device = request.engine.device;
  const Gpu* const gpu = device ? request.gpu.get(*device) : nullptr;
  Progress progress(progress_style(request.arguments), values * sizeof(T));
  const bool binary = table.format != TableFormat::text;
  const std::string header = table.format == TableFormat::npy
                                 ? npy_header(kNpyDescr<T>, {table.tile.rows, table.tile.columns, true})
                                 : "";
  const std::uint64_t bytes = binary ? header.size() + values * sizeof(T) : 0;
  const bool npy = table.format == TableFormat::npy;
  write_output(request.arguments, {.binary = binary, .npy = npy, .expected_bytes = bytes},
               [&](stream::Sink& sink) {
                 sink.write(std::as_bytes(std::span(header)));
                 for_each_part(table.tile, kPartBytes / sizeof(T), [&](const TableTile& part) {
                   write_part(table, part, make<T>(table, part, request.pool.threads(), gpu), sink);
                   progress.counters().bytes_read += part.rows * part.columns * sizeof(T);
                 });
               });
}

using WriteTable = void (*)(const Table& table, const SpectralRequest& request);
constexpr Choice<WriteTable> kValues[] = {{"complex64", write_table<std::complex<float>>},
                                          {"complex128", write_table<std::complex<double>>},
                                          {"uint8", write_table<std::uint8_t>},
                                          {"uint16", write_table<std::uint16_t>}};

// The properties of Boolean functions, and their algebraic normal form; nonlinearity and spectrum by
// themselves.

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

void run_characters(const SpectralRequest& request) {
  const Arguments& arguments = request.arguments;
  if (arguments.operands().size() != 2) refuse("characters takes a group such as 3^8, 2x3x4 or 2^3x5");
  const CharacterGroup group = CharacterGroup::parse(arguments.operands()[1]);
  const Range rows = range_value(arguments, "rows", group.order());
  const Range columns = range_value(arguments, "columns", group.order());
  const Table table{group,
                    {rows.first, rows.count, columns.first, columns.count},
                    choice_value(arguments, "row-order", kRowOrders).value_or(RowOrder::kronecker),
                    table_format_option(arguments).value_or(TableFormat::text)};
  choice_value(arguments, "values", kValues).value_or(write_table<std::complex<double>>)(table, request);
}

void run_nonlinearity(const SpectralRequest& request) {
  const std::string name = file_operands(request, 1)[0];
  const ExpectValues expect = expect_gpu(request, choice::WorkKind::nonlinearity);
  SpectralInput input = read_input(name, request.arguments, Needs::table, request.pool, expect);
  const std::string text =
      report(std::get<Tables>(std::move(input.data)), input.shape.two_dimensional, request);
  write_output(request.arguments, {.is_report = !request.arguments.has("json"), .input = input.file}, text);
}

// One line per function: of a truth table, or of each row of an .npy array.
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

// Between truth table and algebraic normal form: a polynomial becomes a table, a table a polynomial, or with
// --to bits or hex the table of coefficients.
void run_anf(const SpectralRequest& request) {
  const Arguments& arguments = request.arguments;
  const bool is_polynomial = choice_value(arguments, "from", kValueFormats) == ValueFormat::polynomial;
  const ValueFormat to = choice_value(arguments, "to", kValueFormats)
                             .value_or(is_polynomial ? ValueFormat::bits : ValueFormat::polynomial);
  if (to != ValueFormat::bits && to != ValueFormat::hex && to != ValueFormat::polynomial)
    refuse("anf writes bits, hex or polynomial");
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
