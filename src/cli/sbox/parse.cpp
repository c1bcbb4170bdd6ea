// Reads S-boxes: numbers in any brackets, hexadecimal runs, raw integers, .npy, coordinates a line, DES
// tables.
#include "cli/sbox/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstring>

#include "cli/process/console.hpp"
#include "cli/spectral/input.hpp"
#include "cli/spectral/npy.hpp"
#include "cli/to_size.hpp"
#include "fugu/core/butterfly.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

using spectral::SBox;
using spectral::TruthTable;

struct Entry {
  std::uint32_t value = 0;
  std::size_t line = 0;  // 0: unknown
};
using Entries = std::vector<Entry>;

int bits_of(std::uint32_t value) {
  return std::max(1, static_cast<int>(std::bit_width(value)));
}

[[noreturn]] void refuse_entry(std::size_t index, std::string_view text) {
  throw Error(Errc::usage, fmt::format("entry {} is '{}'", index, printable(text.substr(0, 40))));
}

int inputs_of(std::size_t entries, const BoxOptions& options) {
  if (entries == 0) throw Error(Errc::usage, "no entries");
  if (!std::has_single_bit(entries))
    throw Error(Errc::usage, fmt::format("{} entries, not a power of two", entries));
  const int inputs = std::countr_zero(entries);
  if (options.inputs && *options.inputs != inputs) {
    throw Error(Errc::usage,
                fmt::format("--inputs {}: {} entries are {} inputs", *options.inputs, entries, inputs));
  }
  return inputs;
}

// `most`: outputs that an entry has room for.
int outputs_of(const Entries& entries, int inputs, const BoxOptions& options, int most) {
  if (options.outputs) return *options.outputs;
  const int needed = bits_of(std::ranges::max(entries, {}, &Entry::value).value);
  return needed <= inputs && inputs <= most ? inputs : needed;
}

SBox box_of(const Entries& entries, const BoxOptions& options, int most = 32) {
  const int inputs = inputs_of(entries.size(), options);
  const int outputs = outputs_of(entries, inputs, options, most);
  std::vector<std::uint32_t> values;
  values.reserve(entries.size());
  for (const Entry& entry : entries) {
    if (outputs < 32 && entry.value >> outputs != 0) {
      const std::string line = entry.line == 0 ? "" : fmt::format(" (line {})", entry.line);
      throw Error(Errc::usage, fmt::format("entry {}{}: {} does not fit {} outputs", values.size(), line,
                                           entry.value, outputs));
    }
    values.push_back(entry.value);
  }
  return {inputs, outputs, std::move(values)};
}

// Comments of C and of Python become spaces; line breaks stay, so that lines can be counted.
std::string without_comments(std::string_view text) {
  std::string result(text);
  for (std::size_t at = 0; at < result.size(); ++at) {
    const std::string_view rest = std::string_view(result).substr(at);
    std::size_t end = at;
    if (rest.starts_with("/*")) {
      end = std::min(result.size(), result.find("*/", at + 2) == std::string::npos
                                        ? result.size()
                                        : result.find("*/", at + 2) + 2);
    } else if (rest.starts_with("//") || rest.starts_with("#")) {
      end = std::min(result.size(), result.find('\n', at));
    }
    for (; at < end; ++at) {
      if (result[at] != '\n') result[at] = ' ';
    }
  }
  return result;
}

bool is_between(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("()[]{},;").find(c) != std::string_view::npos;
}

// A number with the suffixes of C.
std::optional<std::uint32_t> number_of(std::string_view word) {
  while (!word.empty() && std::string_view("uUlL").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
  if (hexadecimal) word.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

Entries numbers_of(std::string_view commented) {
  const std::string text = without_comments(commented);
  std::size_t at = 0;
  // What stands before the values of an array of C, or of a name in Python.
  if (const std::size_t equals = text.find('='); equals != std::string::npos) at = equals + 1;
  auto line = static_cast<std::size_t>(
                  std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
              1;
  Entries entries;
  while (at < text.size()) {
    if (is_between(text[at])) {
      line += text[at++] == '\n' ? 1u : 0u;
      continue;
    }
    const auto end = static_cast<std::size_t>(
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_between) - text.begin());
    const std::string_view word = std::string_view(text).substr(at, end - at);
    at = end;
    if (entries.empty() && word == "SBox") continue;
    const std::optional<std::uint32_t> value = number_of(word);
    if (!value) refuse_entry(entries.size(), word);
    entries.push_back({*value, line});
  }
  return entries;
}

std::string without_spaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '_') result += c;
  }
  return result;
}

bool is_hex(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
}

std::optional<Entries> hex_entries(std::string_view digits, std::size_t width) {
  if (width == 0 || width > 8 || digits.size() % width != 0) return std::nullopt;
  Entries entries;
  for (std::size_t at = 0; at < digits.size(); at += width) {
    std::uint32_t value = 0;
    std::from_chars(digits.data() + at, digits.data() + at + width, value, 16);
    entries.push_back({value});
  }
  return entries;
}

// A run of digits does not say how many an entry has. Square boxes have one reading at most; what is none is
// read a digit an entry, if entries of more would make another box.
SBox parse_hex_box(std::string_view text, const BoxOptions& options) {
  const std::string digits = without_spaces(text);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (!is_hex(std::string_view(digits).substr(i, 1))) {
      throw Error(Errc::usage, fmt::format("digit {} is '{}'", i, printable(digits.substr(i, 1))));
    }
  }
  if (options.outputs || options.inputs) {
    const std::size_t width = options.outputs ? (static_cast<std::size_t>(*options.outputs) + 3) / 4
                                              : digits.size() >> *options.inputs;
    const std::optional<Entries> entries = hex_entries(digits, width);
    if (entries) return box_of(*entries, options, static_cast<int>(4 * width));
    throw Error(Errc::usage, fmt::format("{} digits are no whole number of entries", digits.size()));
  }
  for (std::size_t inputs = 1; inputs <= spectral::kMaxInputs; ++inputs) {
    const std::size_t width = (inputs + 3) / 4;
    if (width << inputs != digits.size()) continue;
    const Entries entries = *hex_entries(digits, width);
    const bool fits =
        std::ranges::all_of(entries, [&](const Entry& entry) { return entry.value >> inputs == 0; });
    if (fits) return box_of(entries, options, static_cast<int>(4 * width));
  }
  if (digits.size() <= 64) return box_of(*hex_entries(digits, 1), options, 4);
  throw Error(Errc::usage,
              fmt::format("{} hexadecimal digits may be several boxes; give --outputs", digits.size()));
}

template <class T>
SBox parse_raw(std::string_view bytes, std::endian order, const BoxOptions& options) {
  if (bytes.size() % sizeof(T) != 0) {
    throw Error(Errc::usage,
                fmt::format("{} bytes are no whole number of entries of {}", bytes.size(), sizeof(T)));
  }
  Entries entries(bytes.size() / sizeof(T));
  for (std::size_t x = 0; x < entries.size(); ++x) {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      const std::size_t place = order == std::endian::little ? i : sizeof(T) - 1 - i;
      const auto byte = static_cast<unsigned char>(bytes[x * sizeof(T) + i]);
      entries[x].value |= static_cast<std::uint32_t>(byte) << (8 * place);
    }
  }
  return box_of(entries, options, 8 * static_cast<int>(sizeof(T)));
}

struct Row {
  std::string_view text;
  std::size_t number;
};

// Lines that hold something; '#' begins a comment.
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

[[noreturn]] void refuse_sage_order() {
  throw Error(Errc::usage,
              "--bit-order sage is for hexadecimal truth tables: --from rows, or hex with --outputs 1");
}

// Sage's order of digits is ours backwards.
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

SBox parse_rows(std::string_view text, const BoxOptions& options) {
  const std::vector<Row> rows = rows_of(text);
  if (rows.empty()) throw Error(Errc::usage, "no entries");
  const bool bits = are_bits(rows, options);
  if (bits && options.bit_order == BitOrder::sage) refuse_sage_order();
  return parse_coordinates(rows, options, [&](std::string_view line) {
    return bits ? TruthTable::from_bits(line) : table_of_hex(line, options.bit_order);
  });
}

// One more than the largest variable that is named.
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

SBox parse_polynomials(std::string_view text, const BoxOptions& options) {
  const std::vector<Row> rows = rows_of(text);
  const int variables = options.inputs.value_or(variables_in(rows));
  if (variables > spectral::kMaxInputs) {
    throw Error(Errc::usage, fmt::format("{} inputs: 1 to {} are possible", variables, spectral::kMaxInputs));
  }
  return parse_coordinates(
      rows, options, [&](std::string_view line) { return TruthTable::from_polynomial(line, variables); });
}

// FIPS 46: the outer bits of the six choose the row, the inner ones the column.
SBox parse_des(std::string_view text, const BoxOptions& options) {
  const Entries table = numbers_of(text);
  if (table.size() != 64)
    throw Error(Errc::usage, fmt::format("{} entries, a table of DES has 64", table.size()));
  Entries entries(64);
  for (std::size_t x = 0; x < 64; ++x) entries[x] = table[(x >> 5 << 1 | (x & 1)) * 16 + (x >> 1 & 15)];
  BoxOptions sized = options;
  sized.outputs = options.outputs.value_or(4);
  return box_of(entries, sized);
}

SBox box_of_row(std::span<const std::int64_t> row, const BoxOptions& options) {
  Entries entries;
  entries.reserve(row.size());
  for (const std::int64_t value : row) {
    if (value < 0 || value > 0xffffffff) refuse_entry(entries.size(), std::to_string(value));
    entries.push_back({static_cast<std::uint32_t>(value)});
  }
  return box_of(entries, options);
}

SBox parse_npy(std::string_view bytes, const BoxOptions& options) {
  const NpyIntegers array = npy_integers(bytes);
  return box_of_row(array.values.span(), options);
}

BoxFormat detect(std::string_view bytes) {
  if (bytes.starts_with(kNpyMagic)) return BoxFormat::npy;
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  const std::size_t last = bytes.find_last_not_of(" \t\r\n");
  if (first == std::string_view::npos) return BoxFormat::text;
  const std::string_view word = bytes.substr(first, last - first + 1);
  return word.size() > 1 && is_hex(word) ? BoxFormat::hex : BoxFormat::text;
}

SBox with_bit_order(SBox box, BitOrder order) {
  if (order != BitOrder::msb) return box;
  std::vector<std::uint32_t> values(box.size());
  for (std::size_t x = 0; x < box.size(); ++x) {
    values[static_cast<std::size_t>(core::reverse_bits(x, box.inputs()))] =
        static_cast<std::uint32_t>(core::reverse_bits(box[x], box.outputs()));
  }
  return {box.inputs(), box.outputs(), std::move(values)};
}

SBox parse_as(BoxFormat format, std::string_view bytes, const BoxOptions& options) {
  switch (format) {
    case BoxFormat::npy:
      return parse_npy(bytes, options);
    case BoxFormat::hex:
      return parse_hex_box(bytes, options);
    case BoxFormat::u8:
      return parse_raw<std::uint8_t>(bytes, std::endian::little, options);
    case BoxFormat::u16le:
      return parse_raw<std::uint16_t>(bytes, std::endian::little, options);
    case BoxFormat::u16be:
      return parse_raw<std::uint16_t>(bytes, std::endian::big, options);
    case BoxFormat::u32le:
      return parse_raw<std::uint32_t>(bytes, std::endian::little, options);
    case BoxFormat::u32be:
      return parse_raw<std::uint32_t>(bytes, std::endian::big, options);
    case BoxFormat::rows:
      return parse_rows(bytes, options);
    case BoxFormat::polynomial:
      return parse_polynomials(bytes, options);
    case BoxFormat::des:
      return parse_des(bytes, options);
    case BoxFormat::text:
      break;
  }
  return box_of(numbers_of(bytes), options);
}

// A function's truth table in digits, as Sage writes it.
bool is_sage_table(BoxFormat format, const BoxOptions& options) {
  return format == BoxFormat::hex && options.bit_order == BitOrder::sage && options.outputs == 1;
}

}  // namespace

SBox parse_box(std::string_view bytes, const BoxOptions& options) {
  const BoxFormat format = options.format.value_or(detect(bytes));
  const BoxFormat read = is_sage_table(format, options) ? BoxFormat::rows : format;
  if (options.bit_order == BitOrder::sage && read != BoxFormat::rows) refuse_sage_order();
  return with_bit_order(parse_as(read, bytes, options), options.bit_order);
}

struct BoxBatch::Lines {
  std::vector<Row> rows;
};

struct BoxBatch::NpyRows {
  NpyHeader header;
  std::string_view payload;

  // What is wrong is said of the whole array.
  NpyIntegers read(std::size_t first, std::size_t count) const {
    const std::size_t rows = to_size(header.shape.rows);
    const std::size_t row = payload.size() / rows;
    try {
      if (payload.size() == rows * row) {
        return npy_integers({header.descr, {count, header.shape.columns, true}},
                            payload.substr(first * row, count * row));
      }
    } catch (const Error&) {
    }
    return npy_integers(header, payload);
  }
};

BoxBatch::BoxBatch(std::string bytes, const BoxOptions& options)
    : bytes_(std::move(bytes)), options_(options) {
  if (options.format.value_or(detect(bytes_)) != BoxFormat::npy) {
    lines_ = std::make_unique<Lines>(Lines{rows_of(bytes_)});
    if (lines_->rows.empty()) throw Error(Errc::usage, "no boxes");
    return;
  }
  if (options.bit_order == BitOrder::sage) refuse_sage_order();
  const std::string_view all = bytes_;
  const std::size_t start = npy_header_bytes(all);
  if (all.size() < start) throw Error(Errc::damaged, "the .npy header is cut off");
  const NpyHeader header = parse_npy_header(all.substr(0, start));
  npy_ = std::make_unique<NpyRows>(NpyRows{header, all.substr(start)});
  (void)npy_->read(0, 1);
}

BoxBatch::~BoxBatch() = default;

std::size_t BoxBatch::size() const {
  return npy_ ? to_size(npy_->header.shape.rows) : lines_->rows.size();
}

std::vector<SBox> BoxBatch::read(std::size_t first, std::size_t count) const {
  std::vector<SBox> boxes;
  boxes.reserve(count);
  const NpyIntegers integers = npy_ ? npy_->read(first, count) : NpyIntegers{};
  const std::size_t columns = npy_ ? to_size(npy_->header.shape.columns) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    try {
      boxes.push_back(
          npy_ ? with_bit_order(box_of_row(integers.values.span().subspan(i * columns, columns), options_),
                                options_.bit_order)
               : parse_box(lines_->rows[first + i].text, options_));
    } catch (Error& error) {
      error.add_context(npy_ ? fmt::format("row {}", first + i + 1)
                             : fmt::format("line {}", lines_->rows[first + i].number));
      throw;
    }
  }
  return boxes;
}

}  // namespace fugu::cli
