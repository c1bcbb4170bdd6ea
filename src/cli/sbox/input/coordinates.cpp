#include "cli/sbox/input/coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/sbox/input/entries.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

using spectral::SBox;
using spectral::TruthTable;

SBox box_of_coordinates(const std::vector<TruthTable>& coordinates, const BoxOptions& options) {
  if (coordinates.empty()) throw Error(Errc::usage, "no entries");
  if (coordinates.size() > spectral::kMaxOutputs) {
    throw Error(Errc::usage, fmt::format("{} lines: at most {} outputs are possible", coordinates.size(),
                                         spectral::kMaxOutputs));
  }
  Entries entries(coordinates[0].size());
  for (std::size_t j = 0; j < coordinates.size(); ++j) {
    if (coordinates[j].size() != entries.size()) {
      throw Error(Errc::usage, fmt::format("coordinate y{} has {} values, y0 {}", j, coordinates[j].size(),
                                           entries.size()));
    }
    for (std::size_t x = 0; x < entries.size(); ++x)
      entries[x].value |= (coordinates[j][x] ? std::uint32_t{1} : 0u) << j;
  }
  BoxOptions sized = options;
  const auto outputs = static_cast<int>(coordinates.size());
  if (options.outputs && *options.outputs != outputs) {
    throw Error(Errc::usage,
                fmt::format("--outputs {}: {} lines are {} outputs", *options.outputs, outputs, outputs));
  }
  sized.outputs = outputs;
  return box_of(entries, sized);
}

// Sage's order of digits is the reverse of ours.
TruthTable table_of_hex(std::string_view text, BitOrder order) {
  TruthTable table = TruthTable::from_hex(text);
  if (order != BitOrder::sage) return table;
  TruthTable turned(table.variables());
  for (std::size_t x = 0; x < table.size(); ++x) turned.set(x, table[table.size() - 1 - x]);
  return turned;
}

bool are_bits(const std::vector<Row>& rows, const BoxOptions& options) {
  const std::string first = without_spaces(rows[0].text);
  if (options.inputs) return first.size() == std::size_t{1} << *options.inputs;
  return std::ranges::all_of(
      rows, [](const Row& row) { return row.text.find_first_not_of("01_ \t\r") == std::string_view::npos; });
}

template <class Read>
SBox parse_coordinates(const std::vector<Row>& rows, const BoxOptions& options, Read read) {
  std::vector<TruthTable> coordinates;
  for (const Row& row : rows) {
    try {
      coordinates.push_back(read(row.text));
    } catch (Error& error) {
      error.add_context(fmt::format("line {}", row.number));
      throw;
    }
  }
  return box_of_coordinates(coordinates, options);
}

// One more than the largest variable used.
int variables_in(const std::vector<Row>& rows) {
  int count = 1;
  for (const Row& row : rows) {
    for (std::size_t at = row.text.find('x'); at != std::string_view::npos; at = row.text.find('x', at + 1)) {
      int index = 0;
      std::from_chars(row.text.data() + at + 1, row.text.data() + row.text.size(), index);
      count = std::max(count, std::min(index, spectral::kMaxInputs) + 1);
    }
  }
  return count;
}

}  // namespace

std::vector<Row> rows_of(std::string_view text) {
  std::vector<Row> rows;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) rows.push_back({line, number});
  }
  return rows;
}

[[noreturn]] void refuse_sage_order() {
  throw Error(Errc::usage,
              "--bit-order sage is for hexadecimal truth tables: --from rows, or hex with --outputs 1");
}

SBox parse_rows(std::string_view text, const BoxOptions& options) {
  const std::vector<Row> rows = rows_of(text);
  if (rows.empty()) throw Error(Errc::usage, "no entries");
  const bool bits = are_bits(rows, options);
  if (bits && options.bit_order == BitOrder::sage) refuse_sage_order();
  return parse_coordinates(rows, options, [&](std::string_view line) {
    return bits ? TruthTable::from_bits(line) : table_of_hex(line, options.bit_order);
  });
}

SBox parse_polynomials(std::string_view text, const BoxOptions& options) {
  const std::vector<Row> rows = rows_of(text);
  const int variables = options.inputs.value_or(variables_in(rows));
  if (variables > spectral::kMaxInputs) {
    throw Error(Errc::usage, fmt::format("{} inputs: 1 to {} are possible", variables, spectral::kMaxInputs));
  }
  return parse_coordinates(
      rows, options, [&](std::string_view line) { return TruthTable::from_polynomial(line, variables); });
}

}  // namespace fugu::cli
