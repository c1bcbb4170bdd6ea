// Tables are written part by part, so that only the disk limits their size.

#include "fugu/spectral/groups/characters.hpp"
#include "cli/spectral/operations.hpp"
#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"

namespace fugu::cli {
namespace {

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
    throw Error(Errc::usage, fmt::format("the table would take {}; choose a part with --rows and --columns",
                                         bytes_text(static_cast<double>(values) * sizeof(T))));
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

}  // namespace

void run_characters(const SpectralRequest& request) {
  const Arguments& arguments = request.arguments;
  if (arguments.operands().size() != 2) {
    throw Error(Errc::usage, "characters takes a group such as 3^8, 2x3x4 or 2^3x5");
  }
  const CharacterGroup group = CharacterGroup::parse(arguments.operands()[1]);
  const Range rows = range_value(arguments, "rows", group.order());
  const Range columns = range_value(arguments, "columns", group.order());
  const Table table{group,
                    {rows.first, rows.count, columns.first, columns.count},
                    choice_value(arguments, "row-order", kRowOrders).value_or(RowOrder::kronecker),
                    table_format_option(arguments).value_or(TableFormat::text)};
  choice_value(arguments, "values", kValues).value_or(write_table<std::complex<double>>)(table, request);
}

}  // namespace fugu::cli
