// The numbers and truth tables that fugu spectral works on, how they are read, and the one rule that
// interprets an input.
//
// An input is numbers, or truth tables of 0 and 1.
// - Truth tables: the formats bits, hex, packed and polynomial; text of the digits 0 and 1 only, with any
//   white space; .npy of bool, and of uint8 that are all 0 or 1.
// - Numbers: everything else. Where a Boolean function is needed (nonlinearity), 1 and -1 are its polarity,
//   (-1)^f, and 0 and 1 are its values.
// - Where the result would differ (walsh, autocorrelate), other .npy arrays and comma-separated lists of 0
//   and 1 only are refused. --from text and --from raw say that they are numbers.
// - --as table and --as values settle every case: `table` reads 0 and 1 as values of f, 1 and -1 as its
//   polarity; `values` reads digits as numbers, and a truth table as the numbers 0 and 1.
// - walsh and autocorrelate work on (-1)^f of a truth table, convolve on the numbers 0 and 1. inverse takes a
//   spectrum, which consists of numbers.
#pragma once

#include <cmath>

#include "cli/files/files.hpp"
#include "fugu/core/half.hpp"
#include "fugu/spectral/boolean.hpp"
#include "fugu/spectral/digits.hpp"
#include "fugu/spectral/walsh.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::cli {

// Memory for as many values as a file holds: uninitialised until read into, on huge pages.
class Memory {
 public:
  Memory() = default;
  explicit Memory(std::size_t bytes) { resize(bytes); }
  Memory(Memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Memory();

  // Keeps the contents without moving a byte. Throws std::bad_alloc.
  void resize(std::size_t bytes);

  std::span<std::byte> span() const { return {data_, bytes_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Values of one type.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t size) : Array(Memory(to_size(std::uint64_t{size} * sizeof(T))), size) {}
  Array(Memory memory, std::size_t size) : memory_(std::move(memory)), size_(size) {}

  std::span<T> span() { return {reinterpret_cast<T*>(memory_.span().data()), size_}; }
  std::span<const T> span() const { return {reinterpret_cast<const T*>(memory_.span().data()), size_}; }
  std::size_t size() const { return size_; }

 private:
  Memory memory_;
  std::size_t size_ = 0;
};

enum class ValueFormat : std::uint8_t { npy, raw, text, bits, hex, packed, polynomial };
enum class ValueType : std::uint8_t { int32, int64, float32, float64 };
enum class Meaning : std::uint8_t { table, values };

using Values = std::variant<Array<std::int32_t>, Array<std::int64_t>, Array<float>, Array<double>>;
using Tables = std::vector<spectral::TruthTable>;

// Rows of one length; a plain list is one row.
struct Shape {
  std::uint64_t rows = 1;
  std::uint64_t columns = 0;
  bool two_dimensional = false;  // the shape in .npy
};

// Consecutive 0s and 1s: value i is bit i % 64 of word i / 64.
struct PackedValues {
  std::vector<std::uint64_t> words;
  std::uint64_t count = 0;
};

std::uint64_t count_of(const Values& values);

// A zero of each ValueType.
inline constexpr std::variant<std::int32_t, std::int64_t, float, double> kZeros[] = {
    std::int32_t{}, std::int64_t{}, float{}, double{}};

// Calls make(T{}) with the type's T.
template <class Make>
Values values_of(ValueType type, Make make) {
  return std::visit([&](auto zero) -> Values { return make(zero); }, kZeros[static_cast<std::size_t>(type)]);
}

// The same numbers in another type. Throws Error{usage} for a number that does not fit.
Values as_type(Values values, ValueType type, threads::ThreadPool& pool);

// Packs bytes that are all 0 or 1; empty if one is not.
std::optional<PackedValues> packed_bytes(std::span<const std::uint8_t> bytes, threads::ThreadPool& pool);

// Packs 0 and 1, or with `polarity` 1 and -1. Throws Error{usage} with the first value that is neither.
PackedValues packed_values(const Values& values, bool polarity, threads::ThreadPool& pool);

// Reverses each row, as in Sage's hexadecimal truth tables: f(0) is the last bit.
void reverse_rows(PackedValues& values, std::uint64_t columns);
spectral::TruthTable reversed(spectral::TruthTable table);

// The values of consecutive tables as numbers.
using spectral::TableMeans;
Values numbers_of(const Tables& tables, TableMeans means, ValueType type, threads::ThreadPool& pool);

// The kind of input an operation needs.
enum class Needs : std::uint8_t { function, numbers, spectrum, table };

// What the options say of an input.
struct Reading {
  std::optional<ValueFormat> format = {};
  std::optional<ValueType> type = {};
  std::optional<Meaning> as = {};
  std::optional<int> row_bits = {};
  std::optional<int> variables = {};
  bool sage_order = false;
  Needs needs;
  threads::ThreadPool& pool;

  bool wants_values() const { return as == Meaning::values || (!as && needs == Needs::spectrum); }
};

// The content of a file before it is interpreted.
struct Content {
  std::variant<Values, PackedValues, Tables> data;
  Shape shape{};        // columns 0: not known yet
  bool named = false;   // the user said that digits are numbers
  bool halves = false;  // read from float16
};

std::uint64_t count_of(const Content& content);

// Rows come from --row-bits, from a two-dimensional .npy array or from lines of polynomials; otherwise all
// values are one row. Throws Error{usage}.
void set_rows(Content& content, const Reading& reading);

// By the rule above. Throws Error{usage}.
std::variant<Values, Tables> meaning_of(Content content, const Reading& reading);

template <class To, class From>
[[noreturn]] void refuse_as(From x) {
  refuse("{} is not {} of {} bits{}", x, std::is_integral_v<To> ? "an integer" : "a number", 8 * sizeof(To),
         sizeof(To) == 2 ? "; use --type float32" : "");
}

// Throws Error{usage} for a number that does not fit, a finite one too if it becomes infinite.
template <class To, class From>
To converted(From x) {
  if constexpr (std::is_same_v<From, core::Float16>) {
    return core::to_float(x);
  } else if constexpr (std::is_same_v<To, core::Float16>) {
    const auto half = core::rounded<core::Float16>(x);
    if (std::isfinite(x) && !std::isfinite(core::to_float(half))) refuse_as<To>(x);
    return half;
  } else {
    if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
      if (!std::in_range<To>(x)) refuse_as<To>(x);
    } else if constexpr (std::is_integral_v<To>) {
      constexpr double kEnd = -static_cast<double>(std::numeric_limits<To>::min());
      const auto real = static_cast<double>(x);
      const bool fits = real >= -kEnd && real < kEnd && static_cast<From>(static_cast<To>(x)) == x;
      if (!fits) refuse_as<To>(x);
    } else if constexpr (std::is_floating_point_v<From>) {
      if (std::isfinite(x) && !std::isfinite(static_cast<To>(x))) refuse_as<To>(x);
    }
    return static_cast<To>(x);
  }
}

template <class To, class From>
Array<To> convert(std::span<const From> from, threads::ThreadPool& pool) {
  Array<To> to(from.size());
  pool.for_ranges(from.size(), std::size_t{1} << 16, [&](std::size_t first, std::size_t last) {
    std::ranges::transform(from.subspan(first, last - first), to.span().subspan(first).begin(),
                           [](From x) { return converted<To, From>(x); });
  });
  return to;
}

// The header of .npy files (NumPy Enhancement Proposal 1), versions 1 to 3.
inline constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

inline constexpr std::string_view kNpyTypes[] = {"<i4", "<i8", "<f4", "<f8"};  // in ValueType's order
inline constexpr std::string_view kNpyHalf = "<f2";

struct NpyHeader {
  std::string descr;  // "<i4"
  Shape shape;
};

// The number of bytes up to the end of the header, of which `head`, the first bytes of a file, may hold a
// part. Throws Error{damaged} for anything but an .npy file, Error{usage} for an unknown version.
std::size_t npy_header_bytes(std::string_view head);

// A header and what follows it in `bytes`. Throws as above, Error{damaged} for a part of a header and for one
// that NumPy would not write, Error{usage} for unsupported ones: Fortran order, more than two dimensions, no
// values.
struct NpyParts {
  NpyHeader header;
  std::string_view payload;
};
NpyParts npy_parts(std::string_view bytes);

// `descr` is the name of one type, or a list of (name, type) pairs in brackets.
std::string npy_header(std::string_view descr, const Shape& shape);

// Throws Error{usage} for bytes that no text has, with the options that read them.
[[noreturn]] void refuse_binary();

// Numbers separated by white space or commas. Without a type: int64, or float64 if one is not an integer.
// Throws Error{usage} with the first word that is not a number of the type.
Values read_numbers(std::string_view text, std::optional<ValueType> type, threads::ThreadPool& pool);

Content read_digits(std::string_view text, spectral::Digits digits, const Reading& reading);

// Of --variables variables, one per line. Throws Error{usage}.
Content read_polynomials(std::string_view text, const Reading& reading);

// A truth table or numbers, by the rule of values.hpp. Throws Error{usage} for what may be either.
Content read_text(std::string_view text, const Reading& reading);

// Writes what make(i, text) appends for i from 0 to count - 1, in that order. The pool makes a few pieces at
// a time.
void write_pieces(std::size_t count, const std::function<void(std::size_t piece, std::string& text)>& make,
                  stream::Sink& sink, threads::ThreadPool& pool);

// One number per line; integers without an exponent.
void write_numbers(const Values& values, stream::Sink& sink, threads::ThreadPool& pool);

struct SpectralInput {
  std::variant<Values, Tables> data;
  Shape shape;
  std::optional<ValueFormat> result_format = {};  // for results in the format of the input
  std::optional<ValueType> type = {};             // --type
  std::optional<stream::FileId> file = {};        // no output may replace it
  bool halves = false;  // .npy of float16, which becomes float32 for the work: results are float16
};

// All bytes of a file, or of standard input ("-"), which is opened once. Throws Error{io}.
struct FileBytes {
  std::string bytes;
  std::optional<stream::FileId> file;
};
FileBytes read_all(const std::string& name, const Arguments& arguments);

// Returns work(), and adds the name of a file to its errors.
template <class Work>
auto in_file(const std::string& name, Work work) {
  return name == kStandardStream ? work() : with_context(printable(name), work);
}

// The integers of an .npy file. Throws Error{usage} or Error{damaged}.
Array<std::int64_t> npy_integers(const NpyHeader& header, std::string_view payload);

// Whether --bit-order reverses hexadecimal digits.
bool is_sage_order(const Arguments& arguments);

// The words of --from and --to, --type and --as.
inline constexpr Choice<ValueFormat> kValueFormats[] = {{"npy", ValueFormat::npy},
                                                        {"raw", ValueFormat::raw},
                                                        {"text", ValueFormat::text},
                                                        {"bits", ValueFormat::bits},
                                                        {"hex", ValueFormat::hex},
                                                        {"packed", ValueFormat::packed},
                                                        {"polynomial", ValueFormat::polynomial}};
inline constexpr Choice<ValueType> kValueTypes[] = {{"int32", ValueType::int32},
                                                    {"int64", ValueType::int64},
                                                    {"float32", ValueType::float32},
                                                    {"float64", ValueType::float64}};
inline constexpr Choice<Meaning> kMeanings[] = {{"table", Meaning::table}, {"values", Meaning::values}};

// Called with the likely number of values before the rest is read.
using ExpectValues = std::function<void(std::uint64_t values)>;

// Reads all of a file, or of standard input ("-"), which is opened once: whole rows of a power of two. Throws
// Error naming the file.
SpectralInput read_input(const std::string& name, const Arguments& arguments, Needs needs,
                         threads::ThreadPool& pool, const ExpectValues& expect = {});

}  // namespace fugu::cli
