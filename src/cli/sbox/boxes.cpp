// Formats of boxes, and names.
#include "cli/sbox/boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "cli/files/apart.hpp"
#include "cli/files/files.hpp"
#include "cli/process/console.hpp"
#include "cli/process/secrets.hpp"
#include "cli/sbox/entries.hpp"
#include "cli/spectral/input.hpp"
#include "cli/spectral/npy.hpp"
#include "cli/to_size.hpp"
#include "fugu/core/butterfly.hpp"
#include "fugu/error.hpp"
#include "fugu/format/option.hpp"
#include "fugu/spectral/named/named.hpp"

namespace fugu::cli {
namespace {

using spectral::SBox;

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
      return parse_raw(bytes, 1, std::endian::little, options);
    case BoxFormat::u16le:
      return parse_raw(bytes, 2, std::endian::little, options);
    case BoxFormat::u16be:
      return parse_raw(bytes, 2, std::endian::big, options);
    case BoxFormat::u32le:
      return parse_raw(bytes, 4, std::endian::little, options);
    case BoxFormat::u32be:
      return parse_raw(bytes, 4, std::endian::big, options);
    case BoxFormat::rows:
      return parse_rows(bytes, options);
    case BoxFormat::polynomial:
      return parse_polynomials(bytes, options);
    case BoxFormat::des:
      return parse_des(bytes, options);
    case BoxFormat::univariate:
      return parse_univariate(bytes, options);
    case BoxFormat::text:
      break;
  }
  return box_of(numbers_of(bytes), options);
}

// Consecutive little-endian integers.
template <class T>
Array<std::int64_t> widened(std::string_view bytes) {
  std::vector<std::int64_t> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = value;
  }
  return values;
}

struct IntegerType {
  std::string_view descr;
  std::size_t bytes;
  Array<std::int64_t> (*widened)(std::string_view bytes);
};
template <class T>
constexpr IntegerType integer_type(std::string_view descr) {
  return {descr, sizeof(T), widened<T>};
}
constexpr IntegerType kIntegerTypes[] = {
    integer_type<std::uint8_t>("|u1"), integer_type<std::uint16_t>("<u2"), integer_type<std::uint32_t>("<u4"),
    integer_type<std::int8_t>("|i1"),  integer_type<std::int16_t>("<i2"),  integer_type<std::int32_t>("<i4"),
    integer_type<std::int64_t>("<i8")};

// A function's truth table in Sage's digit order.
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

  // The values of these rows. Integers are read in place. Errors are those of the whole array.
  Array<std::int64_t> read(std::size_t first, std::size_t count) const {
    const std::size_t rows = to_size(header.shape.rows);
    const std::size_t row = payload.size() / rows;
    if (payload.size() != rows * row) return npy_integers(header, payload).values;
    const std::string_view bytes = payload.substr(first * row, count * row);
    const std::size_t columns = to_size(header.shape.columns);
    for (const IntegerType& type : kIntegerTypes) {
      if (type.descr == header.descr && type.bytes * columns == row) return type.widened(bytes);
    }
    try {
      return npy_integers({header.descr, {count, header.shape.columns, true}}, bytes).values;
    } catch (const Error&) {
      return npy_integers(header, payload).values;
    }
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
  const Array<std::int64_t> integers = npy_ ? npy_->read(first, count) : Array<std::int64_t>();
  const std::size_t columns = npy_ ? to_size(npy_->header.shape.columns) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    try {
      boxes.push_back(
          npy_ ? with_bit_order(box_of_row(integers.span().subspan(i * columns, columns), options_),
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

namespace {

constexpr Choice<BoxFormat> kFormats[] = {{"npy", BoxFormat::npy},
                                          {"text", BoxFormat::text},
                                          {"hex", BoxFormat::hex},
                                          {"u8", BoxFormat::u8},
                                          {"u16le", BoxFormat::u16le},
                                          {"u16be", BoxFormat::u16be},
                                          {"u32le", BoxFormat::u32le},
                                          {"u32be", BoxFormat::u32be},
                                          {"rows", BoxFormat::rows},
                                          {"polynomial", BoxFormat::polynomial},
                                          {kUnivariate, BoxFormat::univariate},
                                          {"des", BoxFormat::des}};
constexpr Choice<BitOrder> kBitOrders[] = {
    {"lsb", BitOrder::lsb}, {"msb", BitOrder::msb}, {"sage", BitOrder::sage}};

std::optional<int> bits_option(const Arguments& arguments, std::string_view option, int most) {
  if (!arguments.has(option)) return std::nullopt;
  return static_cast<int>(number_value(arguments, option, 1, static_cast<std::uint64_t>(most), 0));
}

bool is_file(const std::string& operand) {
  std::error_code ignored;
  return operand == kStandardStream || std::filesystem::exists(operand, ignored);
}

void require_outputs_apart(const Arguments& arguments, const std::vector<std::string>& operands) {
  std::vector<std::string> files;
  std::ranges::copy_if(operands, std::back_inserter(files), is_file);
  std::vector<std::string> outputs;
  for (const char* option : {"output", "plot"}) {
    if (auto output = arguments.value(option)) outputs.push_back(std::move(*output));
  }
  require_apart(secret_files(arguments), files, outputs);
}

// Throws Error{io} for an operand that names nothing.
void require_something(const std::string& operand) {
  std::error_code ignored;
  if (operand == kStandardStream) return;
  if (std::filesystem::status(operand, ignored).type() != std::filesystem::file_type::not_found) return;
  throw Error(Errc::io, fmt::format("no file and no named box{}; see fugu sbox list", nearest_box(operand)));
}

std::optional<NamedBox> built_in_box(const std::string& operand, const Arguments& arguments) {
  if (is_file(operand)) return std::nullopt;
  std::optional<spectral::SBox> box = keyed_box(operand, arguments);
  if (!box) box = listed_box(operand);
  if (!box) return std::nullopt;
  return NamedBox{operand, std::move(*box)};
}

// Runs work that may throw because of the file's contents.
template <class Work>
auto in_file(const std::string& operand, Work work) {
  try {
    return work();
  } catch (Error& error) {
    if (operand != kStandardStream) error.add_context(printable(operand));
    throw;
  }
}

}  // namespace

std::optional<std::uint32_t> field_option(const Arguments& arguments) {
  const std::optional<std::string> text = arguments.value("field");
  if (!text) return std::nullopt;
  if (const auto polynomial = word_of(*text, 32)) return polynomial;
  throw Error(Errc::usage,
              fmt::format("--field takes a polynomial such as 0x11b, not '{}'", printable(*text)));
}

BoxOptions box_options(const Arguments& arguments) {
  return {.format = choice_value(arguments, "from", kFormats),
          .inputs = bits_option(arguments, "inputs", spectral::kMaxInputs),
          .outputs = bits_option(arguments, "outputs", spectral::kMaxOutputs),
          .bit_order = choice_value(arguments, "bit-order", kBitOrders).value_or(BitOrder::lsb),
          .field = field_option(arguments)};
}

std::optional<spectral::SBox> listed_box(const std::string& name) {
  if (std::optional<spectral::SBox> box = initial_box(name)) return box;
  try {
    return spectral::named_box(name);
  } catch (Error& error) {
    error.add_context(fmt::format("'{}' is no box", printable(name)));
    throw;
  }
}

std::string nearest_box(std::string_view operand) {
  const auto lower = [](std::string_view text) {
    std::string result(text.substr(0, text.find_first_of(": ")));
    std::ranges::transform(result, result.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return result;
  };
  std::vector<std::string> lowered{"blowfish"};
  std::vector<std::string_view> names{"blowfish:1"};
  for (const spectral::BoxName& row : spectral::box_names()) {
    lowered.push_back(lower(row.name));
    names.push_back(row.name);
  }
  const std::string given = lower(operand);
  auto place = std::ranges::find(lowered, given);  // nothing is nearer than the same letters
  if (place == lowered.end()) {
    const auto nearest =
        format::nearest_word(given, std::vector<std::string_view>(lowered.begin(), lowered.end()));
    if (!nearest) return "";
    place = std::ranges::find(lowered, *nearest);
  }
  return fmt::format(" (did you mean {}?)", names[static_cast<std::size_t>(place - lowered.begin())]);
}

std::string box_list() {
  const auto line = [](const spectral::BoxName& row) {
    return fmt::format("{:<36}{}, {}\n", row.name, row.size, row.origin);
  };
  std::string text;
  for (const spectral::BoxName& row : spectral::box_names()) text += line(row);
  return text + line({"Blowfish_initial_S1 to _S4", "8 x 32", "before a key is mixed in"});
}

void check_box_options(const Arguments& arguments, const std::vector<std::string>& operands) {
  require_outputs_apart(arguments, operands);
  if (arguments.has("key") && std::ranges::none_of(operands, is_keyed_name))
    throw Error(Errc::usage, "--key is for blowfish:1 to blowfish:4");
  const auto is_name = [](const std::string& operand) {
    return !is_file(operand) && (is_keyed_name(operand) || listed_box(operand));
  };
  if (!std::ranges::all_of(operands, is_name)) return;
  for (const char* option : {"from", "inputs", "outputs", "bit-order", "batch"}) {
    if (arguments.has(option))
      throw Error(Errc::usage, fmt::format("--{} is for boxes in files, and {} is built in", option,
                                           printable(operands.front())));
  }
}

std::vector<std::string> box_operands(const Arguments& arguments, std::size_t skipped) {
  const auto& operands = arguments.operands();
  std::vector<std::string> names(
      operands.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, operands.size())), operands.end());
  if (names.empty()) names.emplace_back(kStandardStream);
  return names;
}

std::optional<std::uint32_t> word_of(std::string_view text, int bits) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size() || value >> bits != 0) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

NamedBox read_only_box(const Arguments& arguments, std::size_t skipped) {
  const std::vector<std::string> names = box_operands(arguments, skipped);
  if (names.size() == 1) return read_one_box(names[0], arguments);
  throw Error(Errc::usage, fmt::format("{} takes one box, not {}", arguments.operands()[0], names.size()));
}

NamedBox read_one_box(const std::string& operand, const Arguments& arguments) {
  if (std::optional<NamedBox> box = built_in_box(operand, arguments)) return std::move(*box);
  const BoxOptions options = box_options(arguments);
  if (options.format == BoxFormat::univariate && !is_file(operand))
    return {operand, parse_box(operand, options)};
  return in_file(operand, [&]() -> NamedBox {
    require_something(operand);
    const auto [bytes, file] = read_all(operand, arguments);
    return {operand, parse_box(bytes, options), file};
  });
}

Boxes::Boxes(const std::string& operand, const Arguments& arguments) : operand_(operand) {
  if (arguments.has("batch")) one_ = built_in_box(operand, arguments);
  if (!one_ && arguments.has("batch")) {
    in_file(operand, [&] {
      require_something(operand);
      auto [bytes, file] = read_all(operand, arguments);
      file_ = file;
      batch_ = std::make_unique<BoxBatch>(std::move(bytes), box_options(arguments));
    });
    return;
  }
  if (!one_) one_ = read_one_box(operand, arguments);
  file_ = one_->file;
}

std::vector<NamedBox> Boxes::read(std::size_t first, std::size_t count) const {
  if (!batch_) return {*one_};
  std::vector<spectral::SBox> read = in_file(operand_, [&] { return batch_->read(first, count); });
  std::vector<NamedBox> boxes;
  boxes.reserve(count);
  for (spectral::SBox& box : read)
    boxes.push_back({fmt::format("{}:{}", operand_, first + boxes.size() + 1), std::move(box), file_});
  return boxes;
}

}  // namespace fugu::cli
