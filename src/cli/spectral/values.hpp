// The numbers that fugu spectral reads and writes: .npy, raw little-endian, text, and truth tables as bits,
// hex or a polynomial.
//
// A truth table lists f(0), f(1), ...; a hexadecimal digit is four of its values, the first the most
// significant bit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fugu/spectral/boolean.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::cli {

enum class ValueFormat : std::uint8_t { npy, raw, text, bits, hex, polynomial };
enum class ValueType : std::uint8_t { int32, int64, float32, float64 };

using Values = std::variant<std::vector<std::int32_t>, std::vector<std::int64_t>, std::vector<float>,
                            std::vector<double>>;

// Values that were read: numbers, in rows of row_size, or a truth table.
struct Input {
  std::variant<Values, spectral::TruthTable> data;
  std::uint64_t row_size = 0;
  bool from_npy = false;
};

// `type` is what raw data is, and what numbers of other formats become when it is given. A `format` that is
// not given is found out: .npy by its magic, 0 and 1 without separators as bits, otherwise text. Throws
// Error{usage} or Error{damaged}.
struct ReadOptions {
  std::optional<ValueFormat> format;
  std::optional<ValueType> type;
  int variables = -1;  // of a polynomial
};
Input read_values(std::string_view bytes, const ReadOptions& options);

// The same numbers as another type. Throws Error{usage} for a number that it does not hold.
Values as_type(Values values, ValueType type);

// Little-endian numbers after an .npy header of this shape, or as they are.
// `descr` is a name of one type, or a list of (name, type) pairs in brackets.
std::string npy_header(std::string_view descr, std::uint64_t rows, std::uint64_t columns);

// bits and hex: every value must be 1 or -1, the polarity of a truth table. Throws Error{usage}.
void write_values(const Values& values, std::uint64_t row_size, ValueFormat format, stream::Sink& sink);

std::string_view npy_descr(const Values& values);

}  // namespace fugu::cli
