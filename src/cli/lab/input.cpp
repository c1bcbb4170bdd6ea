// Reads what the options name, up to a size that the error states, and interprets it by the rule of
// values.hpp.
#include "cli/lab/values.hpp"

#include <bit>
#include <cstring>

namespace fugu::cli {
namespace {

// The kind of input bounds its size: numbers stay as they are, text grows.
enum class InputKind : std::uint8_t { binary, text };

constexpr std::size_t kStepBytes = std::size_t{1} << 24;

// Two characters may become a number of eight bytes.
std::uint64_t most_bytes(InputKind kind) {
  return kind == InputKind::binary ? memory_bytes() / 4 * 3 : memory_bytes() / 6;
}

[[noreturn]] void refuse_size(std::uint64_t most) {
  throw Error(
      Errc::io,
      fmt::format("the input is longer than {}, the most that fits in memory together with its results",
                  bytes_text(static_cast<double>(most))));
}

// Reads a whole file directly into the memory where it is processed.
class InputReader {
 public:
  // Opens `name` once, and reads its first bytes.
  InputReader(const std::string& name, ProgressStyle style, unsigned threads)
      : source_(open_input(name, threads)), size_(source_->size_bytes()), progress_(style, size_) {}

  // The first bytes, up to kHeadBytes of them; reads on until there are at least `bytes`.
  static constexpr std::size_t kHeadBytes = 4096;
  std::string_view head(std::size_t bytes = kHeadBytes) {
    const std::size_t before = head_.size();
    if (before < bytes) {
      head_.resize(bytes);
      const std::size_t got = source_->read(std::as_writable_bytes(std::span(head_)).subspan(before));
      head_.resize(before + got);
      progress_.counters().bytes_read += got;
    }
    return head_;
  }

  // The whole size, if it is known.
  std::optional<std::uint64_t> bytes() const { return size_; }

  std::optional<stream::FileId> file() const { return source_->file_id(); }

  // Everything from `offset` in the head on; the memory may be larger than `bytes`. Throws Error{io} for more
  // than fits this machine's memory, Error{usage} for text with a zero byte.
  struct Rest {
    Memory memory;
    std::size_t bytes;
    std::string_view text() { return {reinterpret_cast<const char*>(memory.span().data()), bytes}; }
  };
  Rest rest(std::size_t offset, InputKind kind) {
    Rest rest{};
    rest.bytes = fill(offset, kind, [&](std::size_t bytes) {
      rest.memory.resize(bytes);
      return rest.memory.span();
    });
    return rest;
  }

  // Everything as packed values, eight to a byte; zeros fill the last word. Throws as rest() does.
  PackedValues packed_values() {
    PackedValues packed;
    const std::size_t bytes = fill(0, InputKind::binary, [&](std::size_t wanted) {
      packed.words.resize((wanted + 7) / 8);
      return std::as_writable_bytes(std::span(packed.words));
    });
    packed.words.resize((bytes + 7) / 8);
    packed.count = 8 * std::uint64_t{bytes};
    return packed;
  }

 private:
  // grow(n) makes the memory n bytes long and keeps its contents. Returns how many bytes were read into it.
  using Grow = std::function<std::span<std::byte>(std::size_t bytes)>;
  std::size_t fill(std::size_t offset, InputKind kind, const Grow& grow) {
    const std::uint64_t most = most_bytes(kind);
    if (size_.value_or(0) > most) refuse_size(most);
    std::size_t filled = head_.size() - offset;
    std::span<std::byte> memory =
        grow(to_size(std::max<std::uint64_t>(size_.value_or(0), filled) + kHeadBytes));
    std::memcpy(memory.data(), head_.data() + offset, filled);
    for (;;) {
      if (filled == memory.size())
        memory = grow(to_size(std::min(2 * std::uint64_t{memory.size()}, most + kHeadBytes)));
      const auto into = memory.subspan(filled, std::min(memory.size() - filled, kStepBytes));
      const std::size_t got = source_->read(into);
      if (kind == InputKind::text && std::memchr(into.data(), 0, got) != nullptr) refuse_binary();
      filled += got;
      progress_.counters().bytes_read += got;
      if (filled > most) refuse_size(most);
      if (got < into.size()) return filled;
    }
  }

  std::unique_ptr<stream::Source> source_;
  std::optional<std::uint64_t> size_;
  Progress progress_;
  std::string head_;
};

constexpr Choice<bool> kOrders[] = {{"lsb", false}, {"sage", true}};

// The number of values of a given size in the bytes.
std::size_t whole_values(std::size_t bytes, std::size_t value_bytes) {
  if (bytes % value_bytes == 0) return bytes / value_bytes;
  throw Error(Errc::damaged,
              fmt::format("{} bytes are not a multiple of the {} bytes of a value; the file may be truncated",
                          bytes, value_bytes));
}

Values typed(InputReader::Rest rest, ValueType type) {
  return values_of(type, [&](auto to) {
    const std::size_t count = whole_values(rest.bytes, sizeof(to));
    return Array<decltype(to)>(std::move(rest.memory), count);
  });
}

template <class Narrow, class Wide>
Values widened(InputReader::Rest rest, threads::ThreadPool& pool) {
  const std::size_t count = whole_values(rest.bytes, sizeof(Narrow));
  const std::span narrow(reinterpret_cast<const Narrow*>(rest.text().data()), count);
  return convert<Wide>(narrow, pool);
}

std::variant<Values, PackedValues, Tables> bytes_of(InputReader::Rest rest, bool are_bools,
                                                    const Reading& reading) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(rest.text().data()), rest.bytes);
  if (std::optional<PackedValues> packed = packed_bytes(bytes, reading.pool)) {
    if (are_bools || !reading.wants_values()) return std::move(*packed);
  } else if (are_bools) {
    throw Error(Errc::damaged, "a value of type bool is neither 0 nor 1");
  }
  return Values(convert<std::int32_t>(bytes, reading.pool));
}

std::variant<Values, PackedValues, Tables> npy_data(std::string_view descr, InputReader::Rest rest,
                                                    const Reading& reading) {
  threads::ThreadPool& pool = reading.pool;
  const auto* const type = std::ranges::find(kNpyTypes, descr);
  if (type != std::end(kNpyTypes))
    return typed(std::move(rest), static_cast<ValueType>(type - std::begin(kNpyTypes)));
  if (descr == kNpyHalf) return widened<core::Float16, float>(std::move(rest), pool);
  if (descr == "|b1" || descr == "|u1") return bytes_of(std::move(rest), descr == "|b1", reading);
  if (descr == "|i1") return widened<std::int8_t, std::int32_t>(std::move(rest), pool);
  if (descr == "<i2") return widened<std::int16_t, std::int32_t>(std::move(rest), pool);
  if (descr == "<u2") return widened<std::uint16_t, std::int32_t>(std::move(rest), pool);
  if (descr == "<u4") return widened<std::uint32_t, std::int64_t>(std::move(rest), pool);
  refuse(
      "values of type '{}' cannot be read; save them as i1, i2, i4, i8, u1, u2, u4, f2, f4 or f8, "
      "little-endian",
      printable(descr));
}

Content npy_content(const NpyHeader& header, InputReader::Rest rest, const Reading& reading) {
  Content content{npy_data(header.descr, std::move(rest), reading), header.shape};
  content.halves = header.descr == kNpyHalf;
  const std::uint64_t count = count_of(content);
  if (count != header.shape.rows * header.shape.columns) {
    throw Error(Errc::damaged, fmt::format("the .npy file holds {} values, but its header states {}", count,
                                           header.shape.rows * header.shape.columns));
  }
  return content;
}

Content read_npy(InputReader& reader, const Reading& reading) {
  const std::size_t start = npy_header_bytes(reader.head());
  const NpyHeader header = npy_parts(reader.head(start)).header;
  return npy_content(header, reader.rest(start, InputKind::binary), reading);
}

Content read_content(InputReader& reader, const Reading& reading) {
  const bool is_npy = reader.head().starts_with(kNpyMagic);
  const ValueFormat format = reading.format.value_or(is_npy ? ValueFormat::npy : ValueFormat::text);
  if (format == ValueFormat::npy) return read_npy(reader, reading);
  if (format == ValueFormat::raw && !reading.type)
    refuse("raw values need --type int32, int64, float32 or float64");
  if (format == ValueFormat::packed) return {reader.packed_values()};
  InputReader::Rest rest = reader.rest(0, format == ValueFormat::raw ? InputKind::binary : InputKind::text);
  if (format == ValueFormat::raw) return {typed(std::move(rest), *reading.type), {}, true};
  if (format == ValueFormat::bits) return read_digits(rest.text(), spectral::Digits::bits, reading);
  if (format == ValueFormat::hex) return read_digits(rest.text(), spectral::Digits::hexadecimal, reading);
  if (format == ValueFormat::polynomial) return read_polynomials(rest.text(), reading);
  return read_text(rest.text(), reading);
}

Reading reading_of(const Arguments& arguments, Needs needs, threads::ThreadPool& pool) {
  Reading reading{.sage_order = is_sage_order(arguments), .needs = needs, .pool = pool};
  reading.format = choice_value(arguments, "from", kValueFormats);
  reading.type = choice_value(arguments, "type", kValueTypes);
  reading.as = choice_value(arguments, "as", kMeanings);
  (void)choice_value(arguments, "to", kValueFormats);  // refuses a wrong --to before the work
  const auto number = [&](std::string_view option, int most) -> std::optional<int> {
    if (!arguments.has(option)) return std::nullopt;
    return static_cast<int>(number_value(arguments, option, 0, static_cast<std::uint64_t>(most), 0));
  };
  reading.row_bits = number("row-bits", spectral::kMaxLog2Size);
  reading.variables = number("variables", spectral::kMaxVariables);
  const bool polynomial = reading.format == ValueFormat::polynomial;
  if (reading.variables && !polynomial) refuse("--variables is for --from polynomial");
  if (reading.row_bits && polynomial)
    refuse("--row-bits is not for polynomials: each has 2^N values, by --variables N");
  if (reading.type && needs == Needs::table && reading.format != ValueFormat::raw)
    refuse("where a truth table is read, --type is only for --from raw");
  if (reading.as == Meaning::table && needs == Needs::spectrum)
    refuse("--as table is not for inverse, which takes a spectrum");
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
  if (values == nullptr) refuse("these are values of type bool, not numbers");
  return std::get<Array<std::int64_t>>(as_type(std::move(*values), ValueType::int64, alone));
}

bool is_sage_order(const Arguments& arguments) {
  const std::optional<bool> order = choice_value(arguments, "bit-order", kOrders);
  if (order && arguments.value("from") != "hex" && arguments.value("to") != "hex")
    refuse("--bit-order is for hexadecimal digits: --from hex or --to hex");
  return order.value_or(false);
}

SpectralInput read_input(const std::string& name, const Arguments& arguments, Needs needs,
                         threads::ThreadPool& pool, const ExpectValues& expect) {
  const Reading reading = reading_of(arguments, needs, pool);
  return in_file(name, [&] { return read(name, arguments, reading, expect); });
}

}  // namespace fugu::cli
