// Reads what the options name, and interprets it by the rule of values.hpp.
#include "cli/lab/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cli/files/output.hpp"
#include "cli/lab/reader.hpp"
#include "cli/lab/text.hpp"
#include "fugu/spectral/digits.hpp"

namespace fugu::cli {
namespace {

constexpr Choice<ValueFormat> kFormats[] = {{"npy", ValueFormat::npy},
                                            {"raw", ValueFormat::raw},
                                            {"text", ValueFormat::text},
                                            {"bits", ValueFormat::bits},
                                            {"hex", ValueFormat::hex},
                                            {"packed", ValueFormat::packed},
                                            {"polynomial", ValueFormat::polynomial}};
constexpr Choice<ValueType> kTypes[] = {{"int32", ValueType::int32},
                                        {"int64", ValueType::int64},
                                        {"float32", ValueType::float32},
                                        {"float64", ValueType::float64}};
constexpr Choice<Meaning> kMeanings[] = {{"table", Meaning::table}, {"values", Meaning::values}};
constexpr Choice<bool> kOrders[] = {{"lsb", false}, {"sage", true}};

bool is_sage(std::optional<bool> order, std::optional<ValueFormat> from, std::optional<ValueFormat> to) {
  if (order && from != ValueFormat::hex && to != ValueFormat::hex)
    throw Error(Errc::usage, "--bit-order is for hexadecimal digits: --from hex or --to hex");
  return order.value_or(false);
}

// The number of values of a given size in the bytes.
std::size_t whole_values(std::size_t bytes, std::size_t value_bytes) {
  if (bytes % value_bytes == 0) return bytes / value_bytes;
  throw Error(Errc::damaged,
              fmt::format("{} bytes are no whole number of values of {} bytes; the file may be cut off",
                          bytes, value_bytes));
}

template <class T>
Values typed(InputReader::Rest rest) {
  const std::size_t count = whole_values(rest.bytes, sizeof(T));
  return Array<T>(std::move(rest.memory), count);
}

Values typed(InputReader::Rest rest, ValueType type) {
  return values_of(type, [&](auto to) { return typed<decltype(to)>(std::move(rest)); });
}

template <class Narrow, class Wide>
Values widened(InputReader::Rest rest, threads::ThreadPool& pool) {
  const std::size_t count = whole_values(rest.bytes, sizeof(Narrow));
  const std::span narrow(reinterpret_cast<const Narrow*>(rest.text().data()), count);
  return wider<Wide>(narrow, pool);
}

std::variant<Values, PackedValues, Tables> bytes_of(InputReader::Rest rest, bool are_bools,
                                                    const Reading& reading) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(rest.text().data()), rest.bytes);
  if (std::optional<PackedValues> packed = packed_bytes(bytes, reading.pool)) {
    if (are_bools || !reading.wants_values()) return std::move(*packed);
  } else if (are_bools) {
    throw Error(Errc::damaged, "there are values of type bool that are neither 0 nor 1");
  }
  return Values(wider<std::int32_t>(bytes, reading.pool));
}

std::variant<Values, PackedValues, Tables> npy_data(std::string_view descr, InputReader::Rest rest,
                                                    const Reading& reading) {
  threads::ThreadPool& pool = reading.pool;
  if (descr == "<i4") return typed<std::int32_t>(std::move(rest));
  if (descr == "<i8") return typed<std::int64_t>(std::move(rest));
  if (descr == kNpyHalf) return widened<core::Float16, float>(std::move(rest), pool);
  if (descr == "<f4") return typed<float>(std::move(rest));
  if (descr == "<f8") return typed<double>(std::move(rest));
  if (descr == "|b1" || descr == "|u1") return bytes_of(std::move(rest), descr == "|b1", reading);
  if (descr == "|i1") return widened<std::int8_t, std::int32_t>(std::move(rest), pool);
  if (descr == "<i2") return widened<std::int16_t, std::int32_t>(std::move(rest), pool);
  if (descr == "<u2") return widened<std::uint16_t, std::int32_t>(std::move(rest), pool);
  if (descr == "<u4") return widened<std::uint32_t, std::int64_t>(std::move(rest), pool);
  throw Error(
      Errc::usage,
      fmt::format("values of type '{}' are not read; i1 i2 i4 i8 u1 u2 u4 f2 f4 f8 are, little-endian",
                  printable(descr)));
}

Content npy_content(const NpyHeader& header, InputReader::Rest rest, const Reading& reading) {
  Content content{npy_data(header.descr, std::move(rest), reading), header.shape};
  content.halves = header.descr == kNpyHalf;
  const std::uint64_t count = count_of(content);
  if (count != header.shape.rows * header.shape.columns) {
    throw Error(Errc::damaged,
                fmt::format("the .npy file holds {} values, its header says otherwise", count));
  }
  return content;
}

Content read_npy(InputReader& reader, const Reading& reading) {
  const std::size_t start = npy_header_bytes(reader.head());
  const NpyHeader header = npy_parts(reader.head(start)).header;
  return npy_content(header, reader.rest(start, InputKind::binary), reading);
}

PackedValues read_digits(std::string_view text, spectral::Digits digits, const Reading& reading) {
  const spectral::DigitReader reader(text, digits, reading.work());
  return {reader.read(), reader.values()};
}

// One polynomial per line; a line is continued by an operator at its end or at the beginning of the next.
std::vector<std::string_view> polynomials_in(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  constexpr std::string_view kOperators = "+^*";
  std::vector<std::string_view> polynomials;
  for (std::size_t begin = 0, at = 0; begin < text.size(); ++at) {
    at = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(begin, at - begin);
    const std::size_t last = line.find_last_not_of(kSpace);
    const std::size_t next = text.find_first_not_of(kSpace, at);
    const auto joins = [&](std::string_view in, std::size_t i) {
      return i != std::string_view::npos && kOperators.find(in[i]) != std::string_view::npos;
    };
    if (next != std::string_view::npos && (joins(line, last) || joins(text, next))) continue;
    if (last != std::string_view::npos) polynomials.push_back(line.substr(0, last + 1));
    begin = at + 1;
  }
  return polynomials;
}

Content read_polynomials(std::string_view text, const Reading& reading) {
  if (!reading.variables) throw Error(Errc::usage, "a polynomial needs --variables N");
  std::vector<std::string_view> polynomials = polynomials_in(text);
  if (polynomials.empty()) polynomials.emplace_back();
  Tables tables;
  for (const std::string_view polynomial : polynomials) {
    tables.push_back(spectral::TruthTable::from_polynomial(polynomial, *reading.variables));
  }
  const std::uint64_t columns = std::uint64_t{1} << *reading.variables;
  const std::uint64_t rows = tables.size();
  return {std::move(tables), {rows, columns, rows > 1}};
}

Content read_text(std::string_view text, const Reading& reading) {
  const bool digits = is_digits(text, reading.pool);
  const bool named = reading.format.has_value();
  if (digits && !named && !reading.wants_values())
    return {read_digits(text, spectral::Digits::bits, reading)};
  if (digits) refuse_leading_zeros(text);
  return {read_numbers(text, reading.type, reading.pool), {}, named};
}

Content read_content(InputReader& reader, const Reading& reading) {
  const bool is_npy = reader.head().starts_with(kNpyMagic);
  const ValueFormat format = reading.format.value_or(is_npy ? ValueFormat::npy : ValueFormat::text);
  if (format == ValueFormat::npy) return read_npy(reader, reading);
  if (format == ValueFormat::raw && !reading.type)
    throw Error(Errc::usage, "raw values need --type int32, int64, float32 or float64");
  if (format == ValueFormat::packed) return {reader.packed_values()};
  InputReader::Rest rest = reader.rest(0, format == ValueFormat::raw ? InputKind::binary : InputKind::text);
  switch (format) {
    case ValueFormat::raw:
      return {typed(std::move(rest), *reading.type), {}, true};
    case ValueFormat::bits:
      return {read_digits(rest.text(), spectral::Digits::bits, reading)};
    case ValueFormat::hex:
      return {read_digits(rest.text(), spectral::Digits::hexadecimal, reading)};
    case ValueFormat::polynomial:
      return read_polynomials(rest.text(), reading);
    case ValueFormat::npy:
    case ValueFormat::packed:
    case ValueFormat::text:
      break;
  }
  return read_text(rest.text(), reading);
}

Reading reading_of(const Arguments& arguments, Needs needs, threads::ThreadPool& pool) {
  Reading reading{.needs = needs, .pool = pool};
  reading.format = choice_value(arguments, "from", kFormats);
  reading.type = choice_value(arguments, "type", kTypes);
  reading.as = choice_value(arguments, "as", kMeanings);
  const auto order = choice_value(arguments, "bit-order", kOrders);
  const auto to = choice_value(arguments, "to", kFormats);
  reading.sage_order = is_sage(order, reading.format, to);
  const auto number = [&](std::string_view option, int most) -> std::optional<int> {
    if (!arguments.has(option)) return std::nullopt;
    return static_cast<int>(number_value(arguments, option, 0, static_cast<std::uint64_t>(most), 0));
  };
  reading.row_bits = number("row-bits", spectral::kMaxLog2Size);
  reading.variables = number("variables", spectral::kMaxVariables);
  const bool polynomial = reading.format == ValueFormat::polynomial;
  if (reading.variables && !polynomial) throw Error(Errc::usage, "--variables is for --from polynomial");
  if (reading.row_bits && polynomial)
    throw Error(Errc::usage, "--row-bits is not for polynomials: each has 2^--variables values");
  if (reading.type && needs == Needs::table && reading.format != ValueFormat::raw)
    throw Error(Errc::usage, "--type is for --from raw where a truth table is read");
  if (reading.as == Meaning::table && needs == Needs::spectrum)
    throw Error(Errc::usage, "--as table is not for inverse, which takes a spectrum");
  return reading;
}

// Returns 0 for a header that will be refused.
std::uint64_t likely_npy_values(std::string_view head) try {
  const Shape shape = npy_parts(head).header.shape;
  return shape.two_dimensional ? 0 : shape.columns;
} catch (const Error&) {
  return 0;
}

// The number of values of one function, as the first bytes and the size of a file predict: for binary and
// hexadecimal digits, packed values and .npy files. 0 for others, and if the size is not known.
std::uint64_t likely_values(std::string_view head, std::optional<std::uint64_t> bytes,
                            const Reading& reading) {
  if (reading.row_bits || !bytes) return 0;
  std::optional<ValueFormat> format = reading.format;
  if (format.value_or(ValueFormat::npy) == ValueFormat::npy && head.starts_with(kNpyMagic))
    return std::bit_floor(likely_npy_values(head));
  if (!format && head.find_first_not_of("01 \t\r\n\v\f") == std::string_view::npos)
    format = ValueFormat::bits;
  const std::uint64_t per_byte = format == ValueFormat::packed ? 8
                                 : format == ValueFormat::hex  ? 4
                                 : format == ValueFormat::bits ? 1
                                                               : 0;
  return std::bit_floor(*bytes * per_byte);
}

SpectralInput read(const std::string& name, const Arguments& arguments, const Reading& reading,
                   const ExpectValues& expect) {
  InputReader reader(name, progress_style(arguments), reading.pool.threads());
  if (expect) expect(likely_values(reader.head(), reader.bytes(), reading));
  Content content = read_content(reader, reading);
  set_rows(content, reading);
  SpectralInput input{.data = {}, .shape = content.shape, .type = reading.type, .file = reader.file()};
  const bool is_npy = reader.head().starts_with(kNpyMagic);
  if (reading.format == ValueFormat::raw) input.result_format = ValueFormat::raw;
  if (reading.format.value_or(ValueFormat::npy) == ValueFormat::npy && is_npy)
    input.result_format = ValueFormat::npy;
  input.halves = content.halves && !reading.type;
  input.data = meaning_of(std::move(content), reading);
  return input;
}

}  // namespace

FileBytes read_all(const std::string& name, const Arguments& arguments) {
  InputReader reader(name, progress_style(arguments), 1);
  reader.head();
  InputReader::Rest rest = reader.rest(0, InputKind::binary);
  return {std::string(rest.text()), reader.file()};
}

Array<std::int64_t> npy_integers(const NpyHeader& header, std::string_view payload) {
  threads::ThreadPool alone(1);
  const Reading reading{.as = Meaning::values, .needs = Needs::numbers, .pool = alone};
  InputReader::Rest rest{Memory(payload.size() + 1), payload.size()};
  std::ranges::copy(std::as_bytes(std::span(payload)), rest.memory.span().begin());
  Content content = npy_content(header, std::move(rest), reading);
  auto* values = std::get_if<Values>(&content.data);
  if (values == nullptr) throw Error(Errc::usage, "these are values of type bool, not numbers");
  return std::get<Array<std::int64_t>>(as_type(std::move(*values), ValueType::int64, alone));
}

bool is_sage_order(const Arguments& arguments) {
  return is_sage(choice_value(arguments, "bit-order", kOrders), choice_value(arguments, "from", kFormats),
                 choice_value(arguments, "to", kFormats));
}

std::optional<ValueType> type_option(const Arguments& arguments) {
  return choice_value(arguments, "type", kTypes);
}

std::optional<Meaning> meaning_option(const Arguments& arguments) {
  return choice_value(arguments, "as", kMeanings);
}

std::optional<ValueFormat> format_option(const Arguments& arguments, std::string_view option) {
  return choice_value(arguments, option, kFormats);
}

SpectralInput read_input(const std::string& name, const Arguments& arguments, Needs needs,
                         threads::ThreadPool& pool, const ExpectValues& expect) {
  const Reading reading = reading_of(arguments, needs, pool);
  return in_file(name, [&] { return read(name, arguments, reading, expect); });
}

}  // namespace fugu::cli
