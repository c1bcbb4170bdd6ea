// The formats of boxes: numbers in any brackets, hexadecimal digits, raw integers, .npy; truth tables and
// polynomials.

#include <bit>
#include <cctype>
#include <charconv>

#include "cli/sbox/operations.hpp"
#include "fugu/core/butterfly.hpp"

namespace fugu::cli {
namespace {

using spectral::SBox;
using spectral::TruthTable;

struct Entry {
  std::uint32_t value = 0;
  std::size_t line = 0;  // 0: unknown
};
using Entries = std::vector<Entry>;

std::string without_spaces(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '_') result += c;
  return result;
}

constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";

bool is_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kHexDigits) == std::string_view::npos;
}

[[noreturn]] void refuse_entry(std::size_t index, std::string_view text, std::string_view hint = "") {
  if (printable(text) != text)
    refuse("not text, but binary; --from u8, u16le, u16be, u32le or u32be reads such entries");
  refuse("entry {}, '{}', is not a number from 0 to 2^32 - 1{}", index, printable(text.substr(0, 40)), hint);
}

int inputs_of(std::size_t entries, const BoxOptions& options) {
  if (entries == 0) refuse("no entries");
  if (!std::has_single_bit(entries)) refuse("{} entries, not a power of two", entries);
  const int inputs = std::countr_zero(entries);
  if (options.inputs && *options.inputs != inputs)
    refuse("--inputs {}: a box of {} entries has {} inputs", *options.inputs, entries, inputs);
  return inputs;
}

int outputs_of(int inputs, std::span<const std::uint32_t> values) try {
  return spectral::usual_outputs(inputs, values);
} catch (const Error& error) {
  throw Error(error.code(), error.text() + " (--outputs)");
}

// `most`: the outputs that an entry has room for.
SBox box_of(const Entries& entries, const BoxOptions& options, int most = 32) {
  const int inputs = inputs_of(entries.size(), options);
  std::vector<std::uint32_t> values(entries.size());
  std::ranges::transform(entries, values.begin(), &Entry::value);
  const int outputs = options.outputs ? *options.outputs : outputs_of(std::min(inputs, most), values);
  const auto exceeds = [=](std::uint32_t value) { return outputs < 32 && value >> outputs != 0; };
  if (const auto found = std::ranges::find_if(values, exceeds); found != values.end()) {
    const auto x = static_cast<std::size_t>(found - values.begin());
    const std::string line = entries[x].line == 0 ? "" : fmt::format(" (line {})", entries[x].line);
    refuse("entry {}{}: {} does not fit {} outputs", x, line, *found, outputs);
  }
  return {inputs, outputs, std::move(values)};
}

// Replaces comments of C and Python, and commands of LaTeX to the end of their line, by spaces; line breaks
// stay, so that lines can be counted.
std::string without_comments(std::string_view text) {
  std::string result(text);
  for (std::size_t at = 0; at < result.size(); ++at) {
    const std::string_view rest = std::string_view(result).substr(at);
    std::size_t end = at;
    if (rest.starts_with("/*")) {
      const std::size_t close = rest.find("*/", 2);
      end = close == std::string_view::npos ? result.size() : at + close + 2;
    } else if (rest.starts_with("//") || rest.starts_with("#") || rest.starts_with("\\begin") ||
               rest.starts_with("\\end") || rest.starts_with("\\hline")) {
      end = std::min(result.size(), result.find('\n', at));
    }
    for (; at < end; ++at)
      if (result[at] != '\n') result[at] = ' ';
  }
  return result;
}

bool is_between(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("()[]{},;&\\").find(c) != std::string_view::npos;  // & and \\ of LaTeX
}

std::optional<std::uint32_t> digits_of(std::string_view digits, int base) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// What comes before the digits of a number, in any language, and their base.
constexpr std::pair<std::string_view, int> kPrefixes[] = {{"0x", 16}, {"0b", 2},  {"x\"", 16}, {"b\"", 2},
                                                          {"'h", 16}, {"'d", 10}, {"'b", 2},   {"'o", 8}};

// Without the suffixes of C and Rust, and the closing quote of VHDL.
std::string_view without_suffix(std::string_view word) {
  for (const std::string_view type : {"u8", "u16", "u32", "u64", "usize", "i16", "i32", "i64"})
    if (word.ends_with(type)) return word.substr(0, word.size() - type.size());
  return word.substr(0, word.find_last_not_of("ul\"") + 1);
}

std::optional<Entries> hex_entries(std::string_view digits, std::size_t width) {
  if (width == 0 || width > 8 || digits.size() % width != 0) return std::nullopt;
  Entries entries;
  for (std::size_t at = 0; at < digits.size(); at += width)
    entries.push_back({*digits_of(digits.substr(at, width), 16)});
  return entries;
}

struct Word {
  std::string_view text;
  std::size_t line;
};

// Whether the words are hexadecimal numbers without a prefix, as AES's box is usually printed: some have
// letters, and all are of one width. A decimal table with a stray letter has several.
bool are_hex(const std::vector<Word>& words) {
  const auto is_number = [](const Word& word) { return number_of(word.text).has_value(); };
  return !std::ranges::all_of(words, is_number) && std::ranges::all_of(words, [&](const Word& word) {
    return word.text.size() == words[0].text.size() && is_hex(word.text);
  });
}

// What lies between brackets, commas and the like, from `at` on.
std::vector<Word> words_of(std::string_view text, std::size_t at) {
  const bool has_lines =
      text.substr(0, text.find_last_not_of(" \t\r\n") + 1).find('\n') != std::string_view::npos;
  auto line = static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n')) + 1;
  std::vector<Word> words;
  while (at < text.size()) {
    if (is_between(text[at])) {
      line += text[at++] == '\n' ? 1u : 0u;
      continue;
    }
    const auto end = static_cast<std::size_t>(
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_between) - text.begin());
    words.push_back({text.substr(at, end - at), has_lines ? line : 0});
    at = end;
  }
  if (!words.empty() && words[0].text == "SBox") words.erase(words.begin());
  return words;
}

// Whether the digits are written as bytes: "63 7c 77 7b".
bool are_bytes(std::string_view text) {
  const std::vector<Word> words = words_of(text, 0);
  return words.size() > 1 &&
         std::ranges::all_of(words, [](const Word& word) { return word.text.size() == 2; });
}

SBox box_of_coordinates(const std::vector<TruthTable>& coordinates, const BoxOptions& options) {
  if (coordinates.empty()) refuse("no entries");
  if (coordinates.size() > spectral::kMaxOutputs)
    refuse("{} lines: at most {} outputs are possible", coordinates.size(), spectral::kMaxOutputs);
  Entries entries(coordinates[0].size());
  for (std::size_t j = 0; j < coordinates.size(); ++j) {
    if (coordinates[j].size() != entries.size())
      refuse("coordinate y{} has {} values, but y0 has {}", j, coordinates[j].size(), entries.size());
    for (std::size_t x = 0; x < entries.size(); ++x)
      entries[x].value |= (coordinates[j][x] ? std::uint32_t{1} : 0u) << j;
  }
  BoxOptions sized = options;
  const auto outputs = static_cast<int>(coordinates.size());
  if (options.outputs && *options.outputs != outputs)
    refuse("--outputs {}: a box of {} lines has {} outputs", *options.outputs, outputs, outputs);
  sized.outputs = outputs;
  return box_of(entries, sized);
}

// Sage's order of digits is the reverse of ours.
TruthTable table_of_hex(std::string_view text, BitOrder order) {
  TruthTable table = TruthTable::from_hex(text);
  return order == BitOrder::sage ? reversed(std::move(table)) : table;
}

bool are_bits(const std::vector<Line>& lines, const BoxOptions& options) {
  const std::string first = without_spaces(lines[0].text);
  if (options.inputs) return first.size() == std::size_t{1} << *options.inputs;
  return std::ranges::all_of(lines, [](const Line& line) {
    return line.text.find_first_not_of("01_ \t\r") == std::string_view::npos;
  });
}

template <class Read>
SBox parse_coordinates(const std::vector<Line>& lines, const BoxOptions& options, Read read) {
  std::vector<TruthTable> coordinates;
  for (const Line& line : lines)
    coordinates.push_back(with_context(fmt::format("line {}", line.number), [&] { return read(line.text); }));
  return box_of_coordinates(coordinates, options);
}

// One more than the largest variable used.
int variables_in(const std::vector<Line>& lines) {
  int count = 1;
  for (const Line& line : lines) {
    for (std::size_t at = line.text.find('x'); at != std::string_view::npos;
         at = line.text.find('x', at + 1)) {
      int index = 0;
      std::from_chars(line.text.data() + at + 1, line.text.data() + line.text.size(), index);
      count = std::max(count, std::min(index, spectral::kMaxInputs) + 1);
    }
  }
  return count;
}

// Numbers in any brackets, with comments.
Entries numbers_of(std::string_view commented) {
  const std::string text = without_comments(commented);
  std::size_t at = 0;
  // The text before the values of a C array, or of a Python assignment.
  if (const std::size_t equals = text.find('='); equals != std::string::npos) at = equals + 1;
  const std::vector<Word> words = words_of(text, at);
  const bool hex = are_hex(words);
  Entries entries;
  for (const auto& [word, line] : words) {
    const std::optional<std::uint32_t> value = hex ? digits_of(word, 16) : number_of(word);
    if (!value)
      refuse_entry(entries.size(), word,
                   is_hex(word) ? "; hexadecimal numbers need 0x, or all the same number of digits" : "");
    entries.push_back({*value, line});
  }
  return entries;
}

SBox parse_text(std::string_view text, const BoxOptions& options) {
  return box_of(numbers_of(text), options);
}

// FIPS 46: the outer bits of the six choose the row, the inner ones the column.
SBox parse_des(std::string_view text, const BoxOptions& options) {
  const Entries table = numbers_of(text);
  if (table.size() != 64) refuse("{} entries: a DES table has 64", table.size());
  Entries entries(64);
  for (std::size_t x = 0; x < 64; ++x) entries[x] = table[(x >> 5 << 1 | (x & 1)) * 16 + (x >> 1 & 15)];
  BoxOptions sized = options;
  sized.outputs = options.outputs.value_or(4);
  return box_of(entries, sized);
}

// A run of digits does not say how many belong to an entry: a square box that fits is taken, up to 64 other
// digits are one per entry, and longer runs are ambiguous. Bytes are entries, unless their digits are a
// square box by themselves.
SBox parse_hex_box(std::string_view text, const BoxOptions& options) {
  const std::string digits = without_spaces(text);
  const bool bytes = are_bytes(text);
  if (const auto i = digits.find_first_not_of(kHexDigits); i != std::string::npos)
    refuse("digit {}, '{}', is not hexadecimal", i, printable(digits.substr(i, 1)));
  if (options.outputs || options.inputs) {
    const std::size_t width = options.outputs ? (static_cast<std::size_t>(*options.outputs) + 3) / 4
                                              : digits.size() >> *options.inputs;
    const std::optional<Entries> entries = hex_entries(digits, width);
    if (entries) return box_of(*entries, options, static_cast<int>(4 * width));
    refuse("{} digits are not a whole number of entries", digits.size());
  }
  for (std::size_t inputs = 1; inputs <= spectral::kMaxInputs; ++inputs) {
    const std::size_t width = (inputs + 3) / 4;
    if (width << inputs != digits.size()) continue;
    const Entries entries = *hex_entries(digits, width);
    const bool fits =
        std::ranges::all_of(entries, [&](const Entry& entry) { return entry.value >> inputs == 0; });
    if (fits && bytes && width == 1)
      refuse("these are {} entries of 8 bits, or {} of 4; give --outputs", digits.size() / 2, digits.size());
    if (fits) return box_of(entries, options, static_cast<int>(4 * width));
  }
  if (bytes) return box_of(*hex_entries(digits, 2), options, 8);
  if (digits.size() <= 64) return box_of(*hex_entries(digits, 1), options, 4);
  refuse("{} hexadecimal digits fit boxes of several sizes; give --outputs", digits.size());
}

// Integers of `entry_bytes` bytes each.
template <std::size_t entry_bytes, std::endian order>
SBox parse_raw(std::string_view bytes, const BoxOptions& options) {
  if (bytes.size() % entry_bytes != 0)
    refuse("{} bytes are not a whole number of entries of {} bytes", bytes.size(), entry_bytes);
  Entries entries(bytes.size() / entry_bytes);
  for (std::size_t x = 0; x < entries.size(); ++x) {
    for (std::size_t i = 0; i < entry_bytes; ++i) {
      const std::size_t place = order == std::endian::little ? i : entry_bytes - 1 - i;
      const auto byte = static_cast<unsigned char>(bytes[x * entry_bytes + i]);
      entries[x].value |= static_cast<std::uint32_t>(byte) << (8 * place);
    }
  }
  return box_of(entries, options, 8 * static_cast<int>(entry_bytes));
}

SBox box_of_integers(std::span<const std::int64_t> row, const BoxOptions& options) {
  Entries entries;
  entries.reserve(row.size());
  for (const std::int64_t value : row) {
    if (value < 0 || value > 0xffffffff) refuse_entry(entries.size(), std::to_string(value));
    entries.push_back({static_cast<std::uint32_t>(value)});
  }
  return box_of(entries, options);
}

// Truth tables in bits or hexadecimal digits, y0 first.
SBox parse_rows(std::string_view text, const BoxOptions& options) {
  const std::vector<Line> lines = lines_of(text);
  if (lines.empty()) refuse("no entries");
  const bool bits = are_bits(lines, options);
  if (bits && options.bit_order == BitOrder::sage) refuse_sage_order();
  return parse_coordinates(lines, options, [&](std::string_view line) {
    return bits ? TruthTable::from_bits(line) : table_of_hex(line, options.bit_order);
  });
}

SBox parse_univariate(std::string_view text, const BoxOptions& options) {
  if (!options.field) refuse("--from univariate needs a --field such as 0x11b");
  const int bits = static_cast<int>(std::bit_width(*options.field)) - 1;
  for (const auto& [option, given] : {std::pair("inputs", options.inputs), {"outputs", options.outputs}}) {
    if (given.value_or(bits) != bits) refuse("--{} {}: the field has 2^{} elements", option, *given, bits);
  }
  return box_of_polynomial(text.substr(0, text.find_last_not_of(" \t\r\n") + 1),
                           spectral::BinaryField(bits, *options.field));
}

// Algebraic normal forms.
SBox parse_polynomials(std::string_view text, const BoxOptions& options) {
  const std::vector<Line> lines = lines_of(text);
  const int variables = options.inputs.value_or(variables_in(lines));
  if (variables > spectral::kMaxInputs)
    refuse("{} inputs: 1 to {} are possible", variables, spectral::kMaxInputs);
  return parse_coordinates(
      lines, options, [&](std::string_view line) { return TruthTable::from_polynomial(line, variables); });
}

SBox parse_npy(std::string_view bytes, const BoxOptions& options) {
  const NpyParts npy = npy_parts(bytes);
  return box_of_integers(npy_integers(npy.header, npy.payload).span(), options);
}

// With --from the format's parser.
constexpr Choice<ParseBox> kFormats[] = {{"npy", parse_npy},
                                         {"text", parse_text},
                                         {"hex", parse_hex_box},
                                         {"u8", parse_raw<1, std::endian::little>},
                                         {"u16le", parse_raw<2, std::endian::little>},
                                         {"u16be", parse_raw<2, std::endian::big>},
                                         {"u32le", parse_raw<4, std::endian::little>},
                                         {"u32be", parse_raw<4, std::endian::big>},
                                         {"rows", parse_rows},
                                         {"polynomial", parse_polynomials},
                                         {kUnivariate, parse_univariate},
                                         {"des", parse_des}};

ParseBox parser_of(std::string_view bytes, const BoxOptions& options) {
  if (options.parse != nullptr) return options.parse;
  if (bytes.starts_with(kNpyMagic)) return parse_npy;
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  const std::size_t last = bytes.find_last_not_of(" \t\r\n");
  if (first == std::string_view::npos) return parse_text;
  const std::string_view text = bytes.substr(first, last - first + 1);
  const std::size_t word = std::min(text.find_first_of(" \t\r\n"), text.size());
  const bool is_run = word == text.size() ? word > 1 : word > 10;  // longer than an entry can be
  return is_run && is_hex(without_spaces(text)) ? parse_hex_box : parse_text;
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

}  // namespace

std::optional<std::uint32_t> number_of(std::string_view given) {
  std::string word(given);
  std::erase(word, '_');
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string_view number = without_suffix(word);
  // The width of Verilog, as in 8'h63, comes before the prefix.
  const std::size_t width = std::min(number.find_first_not_of("0123456789"), number.size());
  for (const auto& [prefix, base] : kPrefixes) {
    const std::size_t at = prefix[0] == '\'' ? width : 0;
    if (number.substr(at).starts_with(prefix)) return digits_of(number.substr(at + prefix.size()), base);
  }
  return digits_of(number, 10);
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back({line, number});
  }
  return lines;
}

void refuse_sage_order() {
  refuse("--bit-order sage is for hexadecimal truth tables: --from rows, or hex with --outputs 1");
}

ParseBox format_option(const Arguments& arguments) {
  return choice_value(arguments, "from", kFormats).value_or(nullptr);
}

bool is_npy(std::string_view bytes, const BoxOptions& options) {
  return parser_of(bytes, options) == parse_npy;
}

bool is_univariate(const BoxOptions& options) {
  return options.parse == parse_univariate;
}

SBox box_of_row(std::span<const std::int64_t> row, const BoxOptions& options) {
  return with_bit_order(box_of_integers(row, options), options.bit_order);
}

// A function's truth table in Sage's digit order is read as a row of one.
SBox parse_box(std::string_view bytes, const BoxOptions& options) {
  ParseBox parse = parser_of(bytes, options);
  const bool is_sage = options.bit_order == BitOrder::sage;
  if (is_sage && parse == parse_hex_box && options.outputs == 1) parse = parse_rows;
  if (is_sage && parse != parse_rows) refuse_sage_order();
  return with_bit_order(parse(bytes, options), options.bit_order);
}

}  // namespace fugu::cli
