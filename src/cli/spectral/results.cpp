// Writes numbers and truth tables.
#include "cli/spectral/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/lab/npy.hpp"
#include "cli/lab/text.hpp"
#include "fugu/core/half.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/digits.hpp"

namespace fugu::cli {
namespace {

using spectral::Digits;

constexpr std::uint64_t kPieceValues = std::uint64_t{1} << 18;

std::span<const std::byte> bytes_of(const Values& values) {
  return std::visit([](const auto& v) { return std::as_bytes(v.span()); }, values);
}

// Rounds once. Throws Error{usage} for a finite value that float16 does not hold.
Array<core::Float16> halves_of(std::span<const float> values, threads::ThreadPool& pool) {
  Array<core::Float16> halves(values.size());
  pool.for_ranges(values.size(), std::size_t{1} << 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const auto half = core::rounded<core::Float16>(values[i]);
      if (std::isfinite(values[i]) && !std::isfinite(core::to_float(half)))
        throw Error(Errc::usage, fmt::format("{} is no number of 16 bits; use --type float32", values[i]));
      halves.span()[i] = half;
    }
  });
  return halves;
}

PackedValues table_of(const Values& values, threads::ThreadPool& pool) {
  const auto check = [](const auto& v) {
    using T = typename std::remove_cvref_t<decltype(v.span())>::value_type;
    const auto at = std::ranges::find_if(v.span(), [](T x) { return x != T{1} && x != T{-1}; });
    if (at == v.span().end()) return;
    throw Error(Errc::usage, fmt::format("value {} is {}: bits and hex are for functions of 1 and -1",
                                         at - v.span().begin(), *at));
  };
  std::visit(check, values);
  return packed_values(values, true, pool);
}

// Writes rows, or parts of long ones, piece by piece.
void write_lines(const PackedValues& table, std::uint64_t columns, Digits digits, stream::Sink& sink,
                 threads::ThreadPool& pool) {
  const auto per_digit = static_cast<unsigned>(digits);
  if (columns < per_digit)
    throw Error(Errc::usage, "a hexadecimal digit stands for four values; this function has fewer");
  const auto part = static_cast<std::size_t>(std::min(columns, kPieceValues));  // values of one row
  const std::uint64_t parts = std::max<std::uint64_t>(1, kPieceValues / part);  // parts of one piece
  const std::uint64_t count = table.count / part;
  const auto make = [&](std::size_t piece, std::string& text) {
    for (std::uint64_t i = piece * parts; i < std::min(count, (piece + 1) * parts); ++i) {
      const std::size_t before = text.size();
      text.resize(before + part / per_digit);
      spectral::write_digits(table.words, i * part, digits, std::span(text).subspan(before));
      if ((i + 1) * part % columns == 0) text += '\n';
    }
  };
  write_pieces(static_cast<std::size_t>((count + parts - 1) / parts), make, sink, pool);
}

void write_packed(const PackedValues& table, stream::Sink& sink) {
  if (table.count % 8 != 0) throw Error(Errc::usage, "packed values are whole bytes: eight values or more");
  sink.write(std::as_bytes(std::span(table.words)).first(static_cast<std::size_t>(table.count / 8)));
}

void write_npy(std::string_view descr, const Shape& shape, std::span<const std::byte> bytes,
               stream::Sink& sink) {
  const std::string header = npy_header(descr, shape);
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(header)), bytes};
  sink.write_parts(parts);
}

}  // namespace

void write_values(const Values& values, const Shape& shape, ValueFormat format, bool sage_order,
                  stream::Sink& sink, threads::ThreadPool& pool) {
  switch (format) {
    case ValueFormat::bits:
      return write_lines(table_of(values, pool), shape.columns, Digits::bits, sink, pool);
    case ValueFormat::hex: {
      PackedValues table = table_of(values, pool);
      if (sage_order) reverse_rows(table, shape.columns);
      return write_lines(table, shape.columns, Digits::hexadecimal, sink, pool);
    }
    case ValueFormat::packed:
      return write_packed(table_of(values, pool), sink);
    case ValueFormat::polynomial:
      throw Error(Errc::usage, "results are not written as polynomials");
    case ValueFormat::text:
      return write_numbers(values, sink, pool);
    case ValueFormat::npy:
      return write_npy(kNpyTypes[values.index()], shape, bytes_of(values), sink);
    case ValueFormat::raw:
      return sink.write(bytes_of(values));
  }
}

void write_results(const SpectralRequest& request, const SpectralInput& input, const Values& values) {
  const ValueFormat to =
      format_option(request.arguments, "to").value_or(input.result_format.value_or(ValueFormat::text));
  const bool sage_order = is_sage_order(request.arguments);
  const bool binary = to == ValueFormat::npy || to == ValueFormat::raw || to == ValueFormat::packed;
  const bool numbers = to == ValueFormat::npy || to == ValueFormat::raw;
  const bool narrow = input.halves && std::holds_alternative<Array<float>>(values);
  auto halves =
      narrow ? halves_of(std::get<Array<float>>(values).span(), request.pool) : Array<core::Float16>();
  const auto bytes = narrow ? std::as_bytes(halves.span()) : bytes_of(values);
  write_output(request.arguments,
               {.binary = binary,
                .npy = to == ValueFormat::npy,
                .input = input.file,
                .expected_bytes = numbers ? bytes.size() : 0,
                .threads = request.pool.threads()},
               [&](stream::Sink& sink) {
                 if (narrow && to == ValueFormat::npy) return write_npy(kNpyHalf, input.shape, bytes, sink);
                 if (narrow && to == ValueFormat::raw) return sink.write(bytes);
                 if (!narrow) return write_values(values, input.shape, to, sage_order, sink, request.pool);
                 const Values rounded = wider<float>(std::as_const(halves).span(), request.pool);
                 write_values(rounded, input.shape, to, sage_order, sink, request.pool);
               });
}

}  // namespace fugu::cli
