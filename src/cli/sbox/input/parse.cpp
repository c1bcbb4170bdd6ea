#include "cli/sbox/input/parse.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "cli/sbox/input/coordinates.hpp"
#include "cli/sbox/input/entries.hpp"
#include "cli/spectral/input.hpp"
#include "cli/spectral/npy.hpp"
#include "cli/to_size.hpp"
#include "fugu/core/butterfly.hpp"
#include "fugu/error.hpp"

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

}  // namespace fugu::cli
