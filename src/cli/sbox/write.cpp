// Results of fugu sbox: texts, boxes, and tables row by row.

#include <numeric>

#include "cli/sbox/operations.hpp"

namespace fugu::cli {
namespace {

constexpr std::size_t kFull = std::size_t{1} << 20;  // bytes that a row writer keeps

constexpr Choice<BoxOutput> kOutputs[] = {{"text", BoxOutput::text},   {"npy", BoxOutput::npy},
                                          {"npy16", BoxOutput::npy16}, {"raw", BoxOutput::raw},
                                          {"sage", BoxOutput::sage},   {"hex", BoxOutput::hex}};

// Raw values are as wide as the outputs need: u8, u16le or u32le.
int bytes_of(const spectral::SBox& box) {
  return box.outputs() <= 8 ? 1 : box.outputs() <= 16 ? 2 : 4;
}

std::string raw_bytes(const spectral::SBox& box, int width) {
  std::string bytes;
  for (const std::uint32_t value : box.values()) append_bytes(bytes, value, width);
  return bytes;
}

// With the numbers of the rows, and those of the columns that stand side by side.
std::string csv_header(const RowFormat& format) {
  std::string text = format.sparse ? "row,column,value" : "row";
  for (std::uint64_t b = 0; !format.sparse && b < format.columns.count; ++b)
    text += fmt::format(",{}", format.columns.first + b);
  return text + "\n";
}

// The values, each formatted as `entry` says, of a value and the number of its digits or bits.
std::string entries_text(const spectral::SBox& box, std::string_view entry, std::string_view between,
                         int digits) {
  std::vector<std::string> entries;
  for (const std::uint32_t value : box.values())
    entries.push_back(fmt::format(fmt::runtime(entry), value, digits));
  return fmt::format("{}", fmt::join(entries, between));
}

int hex_digits(const spectral::SBox& box) {
  return (box.outputs() + 3) / 4;
}

std::string plain_of(const spectral::SBox& box) {
  return entries_text(box, "{}", " ", 0) + "\n";
}
std::string sage_of(const spectral::SBox& box) {
  return "SBox([" + entries_text(box, "{}", ", ", 0) + "])\n";
}
std::string hex_of(const spectral::SBox& box) {
  return entries_text(box, "{:0{}x}", "", hex_digits(box)) + "\n";
}
std::string raw_of(const spectral::SBox& box) {
  return raw_bytes(box, bytes_of(box));
}
std::string npy_of(const spectral::SBox& box) {
  return npy_header("<u4", {1, box.size()}) + raw_bytes(box, 4);
}
std::string c_of(const spectral::SBox& box) {
  return fmt::format("static const uint{}_t S[{}] = {{{}}};\n", 8 * bytes_of(box), box.size(),
                     entries_text(box, "0x{:0{}x}", ", ", hex_digits(box)));
}
std::string python_of(const spectral::SBox& box) {
  return "S = [" + entries_text(box, "0x{:0{}x}", ", ", hex_digits(box)) + "]\n";
}

// Sixteen values a row.
std::string latex_of(const spectral::SBox& box) {
  const std::size_t columns = std::min<std::size_t>(16, box.size());
  std::string text = fmt::format("\\begin{{tabular}}{{*{{{}}}{{r}}}}\n", columns);
  for (std::size_t x = 0; x < box.size(); x += columns)
    text += fmt::format("{} \\\\\n", fmt::join(box.values().subspan(x, columns), " & "));
  return text + "\\end{tabular}\n";
}

// std_logic_vector takes no hexadecimal digits for other than whole groups of four bits.
std::string vhdl_of(const spectral::SBox& box) {
  return fmt::format(
      "type sbox_t is array (0 to {}) of std_logic_vector({} downto 0);\nconstant S : sbox_t := ({});\n",
      box.size() - 1, box.outputs() - 1, entries_text(box, "b\"{:0{}b}\"", ", ", box.outputs()));
}

// Within a module; S(0) is in the most significant bits.
std::string verilog_of(const spectral::SBox& box) {
  const std::string entry = fmt::format("{}'h{{:0{{}}x}}", box.outputs());
  return fmt::format("localparam [{}:0] S = {{{}}};  // S(x) is S[{} * ({} - x) +: {}]\n",
                     box.size() * static_cast<std::size_t>(box.outputs()) - 1,
                     entries_text(box, entry, ", ", hex_digits(box)), box.outputs(), box.size() - 1,
                     box.outputs());
}

struct BoxForm {
  std::string (*text)(const spectral::SBox&);
  bool binary = false;
  bool npy = false;
};
constexpr Choice<BoxForm> kBoxForms[] = {{"text", {plain_of}},    {"npy", {npy_of, true, true}},
                                         {"raw", {raw_of, true}}, {"sage", {sage_of}},
                                         {"hex", {hex_of}},       {"c", {c_of}},
                                         {"python", {python_of}}, {"latex", {latex_of}},
                                         {"vhdl", {vhdl_of}},     {"verilog", {verilog_of}}};

}  // namespace

BoxOutput output_format(const Arguments& arguments) {
  refuse_together(arguments, {"to", "json", "csv"});
  if (arguments.has("json")) return BoxOutput::json;
  if (arguments.has("csv")) return BoxOutput::csv;
  return choice_value(arguments, "to", kOutputs).value_or(BoxOutput::text);
}

void write_text(const Arguments& arguments, std::optional<stream::FileId> input, const std::string& text) {
  write_output(arguments, {.input = input}, text);
}

void write_report(const Arguments& arguments, std::optional<stream::FileId> input, const std::string& text) {
  write_output(arguments, {.is_report = true, .input = input}, text);
}

void write_box(const Arguments& arguments, std::optional<stream::FileId> input, const spectral::SBox& box) {
  const BoxForm form = choice_value(arguments, "to", kBoxForms).value_or(BoxForm{plain_of});
  write_output(arguments, {.binary = form.binary, .npy = form.npy, .input = input}, form.text(box));
}

void append_bytes(std::string& bytes, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

std::string fraction(std::int64_t value, int bits) {
  const std::int64_t size = std::int64_t{1} << bits;
  const std::int64_t common = std::gcd(value, size);
  return common == size ? std::to_string(value / size) : fmt::format("{}/{}", value / common, size / common);
}

RowWriter::RowWriter(const RowFormat& format, stream::Sink& sink)
    : format_(format), between_(format.format == BoxOutput::csv ? ',' : ' '), sink_(sink) {
  const Shape shape{format.rows.count, format.columns.count, format.rows.count != 1};
  if (format.format == BoxOutput::npy) text_ = npy_header("<i4", shape);
  if (format.format == BoxOutput::npy16) text_ = npy_header("<i2", shape);
  if (format.format == BoxOutput::csv) text_ = csv_header(format);
  if (format.format == BoxOutput::json) text_ = fmt::format("{{\"version\": {}, \"rows\": [", kJsonVersion);
  if (format.format == BoxOutput::sage)
    text_ = fmt::format("matrix({}, [", format.fraction_bits ? "QQ" : "ZZ");
}

void RowWriter::write(std::uint64_t a, std::span<const std::int32_t> row) {
  switch (format_.format) {
    case BoxOutput::npy:
    case BoxOutput::raw:
      text_.append(reinterpret_cast<const char*>(row.data()), row.size_bytes());
      break;
    case BoxOutput::npy16:
      append_narrow(row);
      break;
    case BoxOutput::sage:
    case BoxOutput::json:
      text_ += fmt::format("{}[", a == format_.rows.first ? "" : ",\n");
      append_numbers(row, ", ");
      text_ += ']';
      break;
    default:
      if (format_.sparse) {
        append_sparse(a, row);
      } else {
        if (between_ == ',') text_ += fmt::format("{},", a);
        append_numbers(row, {&between_, 1});
        text_ += '\n';
      }
  }
  if (text_.size() > kFull) flush();
}

void RowWriter::finish() {
  if (format_.format == BoxOutput::sage) text_ += "])\n";
  if (format_.format == BoxOutput::json) text_ += "]}\n";
  flush();
}

void RowWriter::append_number(std::int32_t value) {
  if (format_.fraction_bits) {
    text_ += fraction(value, *format_.fraction_bits);
  } else {
    fmt::format_to(std::back_inserter(text_), "{}", value);
  }
}

void RowWriter::append_numbers(std::span<const std::int32_t> row, std::string_view between) {
  for (std::size_t b = 0; b < row.size(); ++b) {
    if (b != 0) text_ += between;
    append_number(row[b]);
  }
}

void RowWriter::append_sparse(std::uint64_t a, std::span<const std::int32_t> row) {
  for (std::size_t b = 0; b < row.size(); ++b) {
    if (row[b] == 0) continue;
    text_ += fmt::format("{}{}{}{}", a, between_, format_.columns.first + b, between_);
    append_number(row[b]);
    text_ += '\n';
  }
}

void RowWriter::append_narrow(std::span<const std::int32_t> row) {
  for (const std::int32_t value : row) {
    if (value != static_cast<std::int16_t>(value)) refuse("{} does not fit 16 bits; use --to npy", value);
    append_bytes(text_, static_cast<std::uint64_t>(value), 2);
  }
}

void RowWriter::flush() {
  sink_.write(std::as_bytes(std::span(text_)));
  text_.clear();
}

}  // namespace fugu::cli
