// Whole tables, or parts of them, and their spectra.

#include "cli/picture/picture.hpp"
#include "cli/sbox/operations.hpp"
#include "fugu/spectral/lab/model.hpp"

namespace fugu::cli {
namespace {

using spectral::Histogram;
using spectral::SBox;
using spectral::lab::TableRows;
using spectral::lab::TableShape;

enum class Scale : std::uint8_t { walsh, bias, correlation };

struct TableRequest {
  const Arguments& arguments;
  spectral::lab::BoxTable table;  // in the chosen scale
  Scale scale;
  NamedBox named;
  unsigned threads;
};

constexpr Choice<Scale> kScales[] = {
    {"walsh", Scale::walsh}, {"bias", Scale::bias}, {"correlation", Scale::correlation}};

constexpr std::uint64_t kMaxTableBytes = std::uint64_t{1} << 40;

// Text of tables with more columns omits zeros.
constexpr int kMaxDenseBits = 16;

// The table that the second operand names. Throws Error{usage}.
const spectral::lab::BoxTable& table_operand(const Arguments& arguments,
                                             bool (*chosen)(const spectral::lab::BoxTable&) = nullptr) {
  const auto& operands = arguments.operands();
  const std::vector<std::string_view> names = spectral::lab::table_names(chosen);
  if (operands.size() < 2) refuse("{} needs a table's name: {}", operands[0], alternatives(names));
  const spectral::lab::BoxTable* const table = spectral::lab::find_table(operands[1]);
  if (table == nullptr || std::ranges::find(names, table->name) == names.end())
    refuse("no table '{}'{}; choose from {}", printable(operands[1]),
           operands.size() == 2 && is_box(operands[1]) ? ": name a table before the box"
                                                       : did_you_mean(operands[1], names),
           fmt::join(names, ", "));
  return *table;
}

// Reads the box. Throws Error{usage}.
TableRequest table_request(const Arguments& arguments) {
  const spectral::lab::BoxTable& table = table_operand(arguments);
  const Scale scale = choice_value(arguments, "scale", kScales).value_or(Scale::walsh);
  if (scale != Scale::walsh && !table.has_scales) refuse("--scale is for the lat");
  TableRequest request{arguments, table, scale, read_only_box(arguments, 2), thread_count(arguments)};
  if (scale == Scale::bias) request.table.made.divisor = 2;
  return request;
}

// "LAT of AES"
std::string title_of(const TableRequest& request) {
  std::string name(request.table.name);
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  return fmt::format("{} of {}", name, printable(request.named.name));
}

Range range_of(const Arguments& arguments, std::string_view option, std::uint64_t all) {
  const Range range = range_value(arguments, option, all);
  if (range.first > all || range.count > all - range.first)
    refuse("--{} {}:{}: the table has {} {}", option, range.first, range.count, all, option);
  return range;
}

bool is_binary(BoxOutput format) {
  return format == BoxOutput::npy || format == BoxOutput::npy16 || format == BoxOutput::raw;
}

// About, on one core of an EPYC.
double seconds_of(const TableRequest& request, std::uint64_t rows, std::uint64_t columns, bool binary) {
  const double per_entry = (binary ? 3e-9 : 2.5e-8) + request.table.entry_seconds;
  return per_entry * static_cast<double>(rows) * static_cast<double>(columns);
}

spectral::Progress shown_rows(const TableRequest& request, std::uint64_t rows, double seconds) {
  return shown_work(request.arguments, "the rows of the table", rows, seconds, "rows");
}

// Makes rows a few at a time, on all threads.
void write_rows(const TableRequest& request, const TableRows& table, const RowFormat& format, double seconds,
                RowWriter& writer) {
  constexpr std::size_t kBatchValues = std::size_t{1} << 22;
  const auto columns_of_row = static_cast<std::size_t>(table.columns);
  const std::size_t batch = std::max<std::size_t>(1, kBatchValues / columns_of_row);
  threads::ThreadPool pool(request.threads);
  std::vector<std::int32_t> values(batch * columns_of_row);
  const auto row = [&](std::size_t i) {
    return std::span(values).subspan(i * columns_of_row, columns_of_row);
  };
  const auto first_column = static_cast<std::size_t>(format.columns.first);
  const auto columns = static_cast<std::size_t>(format.columns.count);
  const spectral::Progress shown = shown_rows(request, format.rows.count, seconds);
  for (std::uint64_t done = 0; done < format.rows.count; done += batch) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(batch, format.rows.count - done));
    pool.for_each(count, [&](std::size_t i) {
      table.fill(static_cast<std::uint32_t>(format.rows.first + done + i), row(i));
    });
    for (std::size_t i = 0; i < count; ++i)
      writer.write(format.rows.first + done + i, row(i).subspan(first_column, columns));
    if (shown) shown(count);
  }
}

// The chosen part of a table with these numbers of rows and columns, and its format.
RowFormat row_format(const TableRequest& request, std::uint64_t all_rows, std::uint64_t all_columns) {
  const bool fractions = request.scale == Scale::correlation;
  const RowFormat format{
      .format = output_format(request.arguments),
      .rows = range_of(request.arguments, "rows", all_rows),
      .columns = range_of(request.arguments, "columns", all_columns),
      .fraction_bits = fractions ? std::optional(request.named.box.inputs()) : std::nullopt,
      .sparse = request.named.box.outputs() > kMaxDenseBits && request.table.shape != TableShape::by_bit};
  if (format.format == BoxOutput::hex) refuse("tables cannot be hex; use --to text or npy");
  if (fractions && format.format != BoxOutput::text && format.format != BoxOutput::sage)
    refuse("correlations are fractions; use --to text or sage");
  if (format.rows.count != 0 && format.columns.count > kMaxTableBytes / 4 / format.rows.count) {
    refuse("{} rows of {} columns are more than 2^40 bytes; choose --rows or --columns", format.rows.count,
           format.columns.count);
  }
  return format;
}

void write_table(const TableRequest& request, const RowFormat& format,
                 const std::function<void(RowWriter&)>& write) {
  write_output(request.arguments,
               {.binary = is_binary(format.format),
                .npy = format.format == BoxOutput::npy || format.format == BoxOutput::npy16,
                .input = request.named.file},
               [&](stream::Sink& sink) {
                 RowWriter writer(format, sink);
                 write(writer);
                 writer.finish();
               });
}

// For a box with more outputs than a row has room for: the nonzero entries, as text.
void write_nonzero(const TableRequest& request) {
  const SBox& box = request.named.box;
  if (output_format(request.arguments) != BoxOutput::text)
    refuse("the {} of a box of {} outputs is written only as text", request.table.name, box.outputs());
  const Range rows = range_of(request.arguments, "rows", box.size());
  const Range columns = range_of(request.arguments, "columns", std::uint64_t{box.last_mask()} + 1);
  const double seconds = 1e-7 * static_cast<double>(rows.count) * static_cast<double>(box.size());
  require_asked(request.arguments, "the rows of the table", seconds);
  write_output(request.arguments, {.input = request.named.file}, [&](stream::Sink& sink) {
    const spectral::Progress shown = shown_rows(request, rows.count, seconds);
    for (std::uint64_t a = rows.first; a < rows.first + rows.count; ++a) {
      std::string text;
      for (const auto& [b, count] : request.table.made.nonzero(box, static_cast<std::uint32_t>(a))) {
        if (b - columns.first < columns.count) text += fmt::format("{} {} {}\n", a, b, count);
      }
      sink.write(std::as_bytes(std::span(text)));
      if (shown) shown(1);
    }
  });
}

// A line per entry: its differences in the order of the table's definition, and its value.
void write_entries(const TableRequest& request) {
  for (const std::string_view option : {"plot", "columns"})
    if (request.arguments.has(option)) refuse("--{} is not for the {} (a list)", option, request.table.name);
  if (output_format(request.arguments) != BoxOutput::text)
    refuse("the {} is a list, and written only as text", request.table.name);
  const Range rows = range_of(request.arguments, "rows", request.named.box.size());
  std::string text;
  for (const auto& entry : entries_of(request.table, request.named.box))
    if (static_cast<std::uint64_t>(entry[0]) - rows.first < rows.count)
      text += fmt::format("{}\n", fmt::join(entry, " "));
  write_text(request.arguments, request.named.file, text);
}

constexpr std::uint64_t kMaxPartValues = std::uint64_t{1} << 28;

// For a box with more outputs than a row has room for: the chosen columns, one component per column.
void write_columns(const TableRequest& request) {
  const SBox& box = request.named.box;
  const RowFormat format = row_format(request, box.size(), std::uint64_t{box.last_mask()} + 1);
  if (format.columns.count > kMaxPartValues / box.size()) {
    refuse("this table has 2^{} columns; choose at most {} with --columns", box.outputs(),
           kMaxPartValues / box.size());
  }
  const auto columns = static_cast<std::size_t>(format.columns.count);
  const auto first_row = static_cast<std::size_t>(format.rows.first);
  const std::size_t end_row = first_row + static_cast<std::size_t>(format.rows.count);
  std::vector<std::int32_t> part(columns * box.size());
  const spectral::Progress shown = shown_work(request.arguments, "the columns of the table", columns,
                                              2e-8 * static_cast<double>(part.size()), "columns");
  threads::ThreadPool(request.threads).for_each(columns, [&](std::size_t i) {
    fill_column(request.table, box, static_cast<std::uint32_t>(format.columns.first + i),
                std::span(part).subspan(i * box.size(), box.size()));
    if (shown) shown(1);
  });
  write_table(request, format, [&](RowWriter& writer) {
    std::vector<std::int32_t> row(columns);
    for (std::size_t a = first_row; a < end_row; ++a) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = part[i * box.size() + a];
      writer.write(a, row);
    }
  });
}

// What the colours of a picture stand for; for the LAT, in the chosen scale.
std::string values_of(const TableRequest& request) {
  if (!request.table.is_signed) return "counts";
  const std::string kind = request.arguments.has("signed") ? "signed values" : "absolute values";
  if (!request.table.has_scales) return kind;
  if (request.scale == Scale::bias) return kind + " of W/2";
  return kind + (request.scale == Scale::walsh ? " of W" : " of W, 2^n times the correlation");
}

void check_sign(const TableRequest& request) {
  if (!request.arguments.has("signed")) return;
  if (!request.arguments.has("plot")) refuse("--signed is for --plot");
  if (!request.table.is_signed)
    refuse("--signed is for the {}",
           alternatives(spectral::lab::table_names([](const auto& table) { return table.is_signed; })));
}

std::pair<std::string, std::string> labels_of(TableShape shape) {
  if (shape == TableShape::by_bit) return {"input bit", "output bit"};
  if (shape == TableShape::by_pair) return {"a N + u, hexadecimal", "b M + v, hexadecimal"};
  return {"a, hexadecimal", "b, hexadecimal"};
}

void plot_table(const TableRequest& request, const TableRows& table) {
  const Range rows = range_of(request.arguments, "rows", table.rows);
  const Range columns = range_of(request.arguments, "columns", table.columns);
  if (rows.count == 0 || columns.count == 0) refuse("there is nothing to draw");
  if (columns.count > kMaxPictureCells / rows.count) {
    refuse("a picture has at most 2^26 cells, not {} x {}; choose --rows or --columns", rows.count,
           columns.count);
  }
  const auto [row_label, column_label] = labels_of(request.table.shape);
  HeatMap map{.title = title_of(request),
              .row_label = row_label,
              .column_label = column_label,
              .values = values_of(request),
              .first_row = rows.first,
              .first_column = columns.first,
              .rows = static_cast<std::size_t>(rows.count),
              .columns = static_cast<std::size_t>(columns.count),
              .is_signed = request.arguments.has("signed")};
  map.cells.resize(map.rows * map.columns);
  const auto first_column = static_cast<std::size_t>(columns.first);
  const double seconds = seconds_of(request, rows.count, table.columns, true);
  require_asked(request.arguments, "the rows of the table", seconds);
  const spectral::Progress shown = shown_rows(request, rows.count, seconds);
  threads::ThreadPool(request.threads).for_each(map.rows, [&](std::size_t i) {
    std::vector<std::int32_t> row(to_size(table.columns));
    table.fill(static_cast<std::uint32_t>(rows.first + i), row);
    for (std::size_t j = 0; j < map.columns; ++j)
      map.cells[i * map.columns + j] =
          map.is_signed ? row[first_column + j] : std::abs(row[first_column + j]);
    if (shown) shown(1);
  });
  plot(request.arguments, request.named.file, map);
}

Histogram counted(const TableRequest& request) {
  Histogram histogram;
  if (request.table.made.list != nullptr) {
    for (const auto& entry : entries_of(request.table, request.named.box)) ++histogram[entry.back()];
    return histogram;
  }
  const TableRows table = rows_of(request.table, request.named.box);
  require_asked(request.arguments, "the entries of the table",
                seconds_of(request, table.rows, table.columns, true));
  std::vector<std::int32_t> row(to_size(table.columns));
  for (std::uint32_t a = 0; a < table.rows; ++a) {
    table.fill(a, row);
    for (const std::int32_t value : row) ++histogram[value];
  }
  return histogram;
}

Histogram spectrum_of(const TableRequest& request) {
  if (request.table.histogram.empty()) return counted(request);
  const BoxEngine engine(request.arguments);
  spectral::lab::Box box = engine.box(request.named.box);
  const auto& property = *find_property(spectral::lab::box_properties(), request.table.histogram);
  require_asked(request.arguments, "the entries of the table", box.seconds(property.computation));
  require_has(request.table, request.named.box);
  const spectral::lab::Value value = property.value(box);
  Histogram histogram;
  for (const auto& [entry, count] : std::get<Histogram>(value))
    histogram[entry / request.table.made.divisor] = count;
  return histogram;
}

}  // namespace

void run_spectrum(const Arguments& arguments) {
  const TableRequest request = table_request(arguments);
  const Histogram histogram = spectrum_of(request);
  if (arguments.has("plot")) {
    return plot(arguments, request.named.file,
                Bars{"spectrum of the " + title_of(request), "value", "entries", histogram});
  }
  const bool fractions = request.scale == Scale::correlation;
  const int bits = request.named.box.inputs();
  std::string text;
  if (arguments.has("json")) {
    auto pairs = nlohmann::ordered_json::array();
    for (const auto& [value, count] : histogram) {
      fractions ? pairs.push_back({fraction(value, bits), count}) : pairs.push_back({value, count});
    }
    text = json_text({{"version", kJsonVersion},
                      {"name", request.named.name},
                      {"table", request.table.name},
                      {"spectrum", pairs},
                      {"scale", arguments.value("scale").value_or("walsh")},
                      {"conventions", 1}});
  } else {
    for (const auto& [value, count] : histogram)
      text += fmt::format("{}:{}\n", fractions ? fraction(value, bits) : std::to_string(value), count);
  }
  write_text(arguments, request.named.file, text);
}

void run_model(const Arguments& arguments) {
  const spectral::lab::BoxTable& table = table_operand(arguments, spectral::lab::has_model);
  const std::vector<std::string_view> forms = spectral::lab::model_forms();
  const std::string form = arguments.value("to").value_or(std::string(forms[0]));
  if (std::ranges::find(forms, form) == forms.end())
    refuse("--to {}: models are written as {}", printable(form), alternatives(forms));
  const NamedBox named = read_only_box(arguments, 2);
  const auto of = transitions(table, named.box, arguments.has("weights"));
  const std::vector<spectral::lab::Clause> primes = prime_clauses(of);
  std::vector<spectral::lab::Inequality> inequalities;
  for (const spectral::lab::Clause clause : few_clauses(of, primes))
    inequalities.push_back(inequality_of(clause, of.variables.size()));
  write_text(arguments, named.file,
             model_text(of, inequalities, form,
                        fmt::format("clauses, the fewest found of {} prime implicants", primes.size())));
}

void run_table(const Arguments& arguments) {
  const TableRequest request = table_request(arguments);
  check_sign(request);
  const SBox& box = request.named.box;
  if (request.table.shape == TableShape::entries) return write_entries(request);
  if (is_too_wide(request.table, box) && !arguments.has("plot")) {
    if (request.table.made.nonzero != nullptr) return write_nonzero(request);
    if (request.table.made.fill_column != nullptr) return write_columns(request);
  }
  const TableRows table = rows_of(request.table, box);
  if (arguments.has("plot")) return plot_table(request, table);
  const RowFormat format = row_format(request, table.rows, table.columns);
  const double seconds = seconds_of(request, format.rows.count, table.columns, is_binary(format.format));
  require_asked(arguments, "the rows of the table", seconds);
  write_table(request, format,
              [&](RowWriter& writer) { write_rows(request, table, format, seconds, writer); });
}

}  // namespace fugu::cli
