#include "cli/spectral/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "cli/process/console.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "raw and .npy data are little-endian");

constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

// make(T{}) with the type's T.
template <class Make>
Values values_of(ValueType type, Make make) {
  switch (type) {
    case ValueType::int32:
      return make(std::int32_t{});
    case ValueType::int64:
      return make(std::int64_t{});
    case ValueType::float32:
      return make(float{});
    case ValueType::float64:
      return make(double{});
  }
  return {};
}

template <class To, class From>
[[noreturn]] void refuse_as(From x) {
  throw Error(Errc::usage, fmt::format("{} is no integer of {} bits", x, 8 * sizeof(To)));
}

template <class To, class From>
To converted(From x) {
  if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    if (!std::in_range<To>(x)) refuse_as<To>(x);
  } else if constexpr (std::is_integral_v<To>) {
    constexpr double kEnd = -static_cast<double>(std::numeric_limits<To>::min());
    const auto real = static_cast<double>(x);
    const bool fits = real >= -kEnd && real < kEnd && static_cast<From>(static_cast<To>(x)) == x;
    if (!fits) refuse_as<To>(x);
  }
  return static_cast<To>(x);
}

template <class To, class From>
std::vector<To> convert(const std::vector<From>& from) {
  std::vector<To> to(from.size());
  std::ranges::transform(from, to.begin(), [](From x) { return converted<To, From>(x); });
  return to;
}

template <class T>
std::vector<T> from_bytes(std::string_view bytes) {
  if (bytes.size() % sizeof(T) != 0) {
    throw Error(Errc::damaged,
                fmt::format("{} bytes are no whole number of values of {} bytes; the file may be cut off",
                            bytes.size(), sizeof(T)));
  }
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

Values from_bytes(std::string_view bytes, ValueType type) {
  return values_of(type, [&](auto to) { return from_bytes<decltype(to)>(bytes); });
}

// The value of `key` in the dictionary of an .npy header, which NumPy writes as a Python literal.
std::string_view npy_field(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos)
    throw Error(Errc::damaged, fmt::format("the .npy header has no '{}'", key));
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::size_t end = rest.starts_with('(') ? rest.find(')') : rest.find_first_of(",}");
  if (end == std::string_view::npos) throw Error(Errc::damaged, "the .npy header is cut off");
  return rest.substr(0, end);
}

std::vector<std::uint64_t> npy_shape(std::string_view header) {
  const std::string_view field = npy_field(header, "shape");
  std::vector<std::uint64_t> shape;
  for (const char* at = field.data() + 1; at < field.data() + field.size();) {
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(at, field.data() + field.size(), size);
    if (error != std::errc()) {
      ++at;
      continue;
    }
    shape.push_back(size);
    at = end;
  }
  if (shape.empty() || shape.size() > 2) {
    throw Error(Errc::usage, "the .npy array must have one dimension, or two: rows of one length");
  }
  return shape;
}

Values npy_numbers(std::string_view descr, std::string_view bytes) {
  if (descr == "'<i4'") return from_bytes<std::int32_t>(bytes);
  if (descr == "'<i8'") return from_bytes<std::int64_t>(bytes);
  if (descr == "'<f4'") return from_bytes<float>(bytes);
  if (descr == "'<f8'") return from_bytes<double>(bytes);
  if (descr == "'|i1'") return convert<std::int32_t>(from_bytes<std::int8_t>(bytes));
  if (descr == "'|u1'" || descr == "'|b1'") return convert<std::int32_t>(from_bytes<std::uint8_t>(bytes));
  if (descr == "'<i2'") return convert<std::int32_t>(from_bytes<std::int16_t>(bytes));
  if (descr == "'<u2'") return convert<std::int32_t>(from_bytes<std::uint16_t>(bytes));
  if (descr == "'<u4'") return convert<std::int64_t>(from_bytes<std::uint32_t>(bytes));
  throw Error(Errc::usage,
              fmt::format("values of type {} are not read; i1 i2 i4 i8 u1 u2 u4 f4 f8 are, little-endian",
                          printable(descr)));
}

Input read_npy(std::string_view bytes, const ReadOptions& options) {
  if (!bytes.starts_with(kNpyMagic) || bytes.size() < 12) throw Error(Errc::damaged, "this is no .npy file");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const bool wide = byte(6) > 1;
  const std::size_t start = wide ? 12 : 10;
  const std::size_t length = byte(8) + 256 * byte(9) + (wide ? 65536 * byte(10) + 16777216 * byte(11) : 0);
  if (length > bytes.size() - start) throw Error(Errc::damaged, "the .npy header is cut off");
  const std::string_view header = bytes.substr(start, length);
  if (npy_field(header, "fortran_order") != "False") {
    throw Error(Errc::usage, "the .npy array is in Fortran order; save it in C order");
  }
  const std::vector<std::uint64_t> shape = npy_shape(header);
  Values values = npy_numbers(npy_field(header, "descr"), bytes.substr(start + length));
  const std::uint64_t rows = shape.size() == 2 ? shape[0] : 1;
  const std::uint64_t count = std::visit([](const auto& v) { return std::uint64_t{v.size()}; }, values);
  if (rows != 0 && (count % rows != 0 || count / rows != shape.back())) {
    throw Error(Errc::damaged,
                fmt::format("the .npy file holds {} values, its header says otherwise", count));
  }
  if (options.type) values = as_type(std::move(values), *options.type);
  return {std::move(values), shape.back(), true};
}

bool is_separator(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',';
}

template <class T>
std::vector<T> numbers_of(std::string_view text) {
  std::vector<T> numbers;
  for (const char* at = text.data(); at < text.data() + text.size();) {
    if (is_separator(*at)) {
      ++at;
      continue;
    }
    const char* word_end = std::find_if(at, text.data() + text.size(), is_separator);
    T number{};
    const auto [end, error] = std::from_chars(at, word_end, number);
    if (error != std::errc() || end != word_end) {
      throw Error(Errc::usage, fmt::format("value {}, '{}', is no {} of {} bits", numbers.size() + 1,
                                           printable(std::string_view(at, word_end).substr(0, 40)),
                                           std::is_integral_v<T> ? "integer" : "number", 8 * sizeof(T)));
    }
    numbers.push_back(number);
    at = end;
  }
  return numbers;
}

Values read_text(std::string_view text, std::optional<ValueType> type) {
  const bool whole = text.find_first_of(".eEnN") == std::string_view::npos;
  return values_of(type.value_or(whole ? ValueType::int64 : ValueType::float64),
                   [&](auto to) { return numbers_of<decltype(to)>(text); });
}

// One word of 0s and 1s is a truth table; single digits set apart are numbers.
ValueFormat detect(std::string_view bytes) {
  if (bytes.starts_with(kNpyMagic)) return ValueFormat::npy;
  const std::size_t last = bytes.find_last_not_of(" \n\r\t");
  const std::string_view word = bytes.substr(0, last == std::string_view::npos ? 0 : last + 1);
  const bool bits = word.size() > 1 && word.find_first_not_of("01_") == std::string_view::npos;
  return bits ? ValueFormat::bits : ValueFormat::text;
}

std::uint64_t count_of(const Values& values) {
  return std::visit([](const auto& v) { return std::uint64_t{v.size()}; }, values);
}

// Buffers small writes.
class Writer {
 public:
  explicit Writer(stream::Sink& sink) : sink_(sink) {}
  ~Writer() = default;

  std::string& buffer() {
    if (buffer_.size() >= kFull) flush();
    return buffer_;
  }
  void flush() {
    sink_.write(std::as_bytes(std::span(buffer_)));
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kFull = 1 << 20;
  stream::Sink& sink_;
  std::string buffer_;
};

template <class T>
spectral::TruthTable table_of(const std::vector<T>& polarity) {
  spectral::TruthTable table(spectral::log2_exact(polarity.size()));
  for (std::size_t x = 0; x < polarity.size(); ++x) {
    if (polarity[x] != T{1} && polarity[x] != T{-1}) {
      throw Error(Errc::usage,
                  fmt::format("value {} is {}: bits and hex are for functions of 1 and -1", x, polarity[x]));
    }
    table.set(x, polarity[x] < T{0});
  }
  return table;
}

}  // namespace

Input read_values(std::string_view bytes, const ReadOptions& options) {
  const ValueFormat format = options.format.value_or(detect(bytes));
  switch (format) {
    case ValueFormat::npy:
      return read_npy(bytes, options);
    case ValueFormat::bits:
      return {spectral::TruthTable::from_bits(bytes), 0};
    case ValueFormat::hex:
      return {spectral::TruthTable::from_hex(bytes), 0};
    case ValueFormat::polynomial:
      if (options.variables < 0) throw Error(Errc::usage, "a polynomial needs --variables N");
      return {spectral::TruthTable::from_polynomial(bytes, options.variables), 0};
    case ValueFormat::raw:
      if (!options.type) throw Error(Errc::usage, "raw values need --type int32, int64, float32 or float64");
      break;
    case ValueFormat::text:
      break;
  }
  Values values =
      format == ValueFormat::raw ? from_bytes(bytes, *options.type) : read_text(bytes, options.type);
  const std::uint64_t count = count_of(values);
  return {std::move(values), count};
}

Values as_type(Values values, ValueType type) {
  if (static_cast<std::size_t>(type) == values.index()) return values;
  return std::visit(
      [&](const auto& from) { return values_of(type, [&](auto to) { return convert<decltype(to)>(from); }); },
      values);
}

std::string npy_header(std::string_view descr, std::uint64_t rows, std::uint64_t columns) {
  const std::string shape =
      rows == 1 ? fmt::format("({},)", columns) : fmt::format("({}, {})", rows, columns);
  const std::string type = descr.starts_with('[') ? std::string(descr) : fmt::format("'{}'", descr);
  std::string dictionary =
      fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}", type, shape);
  dictionary.append(63 - (10 + dictionary.size()) % 64, ' ').push_back('\n');
  std::string header(kNpyMagic);
  header += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xff),
             static_cast<char>(dictionary.size() >> 8)};
  return header + dictionary;
}

std::string_view npy_descr(const Values& values) {
  constexpr std::string_view kDescr[] = {"<i4", "<i8", "<f4", "<f8"};
  return kDescr[values.index()];
}

void write_values(const Values& values, std::uint64_t row_size, ValueFormat format, stream::Sink& sink) {
  Writer writer(sink);
  if (format == ValueFormat::bits || format == ValueFormat::hex) {
    const spectral::TruthTable table = std::visit([](const auto& v) { return table_of(v); }, values);
    writer.buffer() = (format == ValueFormat::bits ? table.to_bits() : table.to_hex()) + "\n";
    return writer.flush();
  }
  if (format == ValueFormat::polynomial) throw Error(Errc::usage, "results are not written as polynomials");
  if (format == ValueFormat::npy) {
    const std::uint64_t rows = row_size == 0 ? 1 : count_of(values) / row_size;
    writer.buffer() = npy_header(npy_descr(values), rows, row_size);
    writer.flush();
  }
  std::visit(
      [&](const auto& v) {
        if (format != ValueFormat::text) return sink.write(std::as_bytes(std::span(v)));
        for (const auto x : v) fmt::format_to(std::back_inserter(writer.buffer()), "{}\n", x);
        writer.flush();
      },
      values);
}

}  // namespace fugu::cli
