// Transforms and convolutions of numbers, and of truth tables as numbers, and how their results are written.

#include "cli/spectral/operations.hpp"
#include "fugu/spectral/cuda/papers/papers.hpp"
#include "fugu/spectral/cuda/staging.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "fugu/spectral/exactness.hpp"
#include "fugu/spectral/papers/papers.hpp"

namespace fugu::cli {
namespace {

using spectral::Digits;
using spectral::Ordering;

constexpr std::uint64_t kPieceValues = std::uint64_t{1} << 18;

std::span<const std::byte> bytes_of(const Values& values) {
  return std::visit([](const auto& v) { return std::as_bytes(v.span()); }, values);
}

PackedValues table_of(const Values& values, threads::ThreadPool& pool) {
  const auto check = [](const auto& v) {
    using T = typename std::remove_cvref_t<decltype(v.span())>::value_type;
    const auto at = std::ranges::find_if(v.span(), [](T x) { return x != T{1} && x != T{-1}; });
    if (at == v.span().end()) return;
    refuse("value {} is {}: --to bits, hex and packed need 1 and -1", at - v.span().begin() + 1, *at);
  };
  std::visit(check, values);
  return packed_values(values, true, pool);
}

// Writes rows, or parts of long ones, piece by piece.
void write_lines(const PackedValues& table, std::uint64_t columns, Digits digits, stream::Sink& sink,
                 threads::ThreadPool& pool) {
  const auto per_digit = static_cast<unsigned>(digits);
  if (columns < per_digit) refuse("a hexadecimal digit stands for four values; this function has fewer");
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
  if (table.count % 8 != 0) refuse("--to packed needs a multiple of eight values");
  sink.write(std::as_bytes(std::span(table.words)).first(static_cast<std::size_t>(table.count / 8)));
}

// Rows are kept as lines of bits and hex; text has one number per line. bits, hex and packed need values of 1
// and -1, the polarity of a truth table. Throws Error{usage} for other values.
void write_values(const Values& values, std::uint64_t columns, ValueFormat format, bool sage_order,
                  stream::Sink& sink, threads::ThreadPool& pool) {
  if (format == ValueFormat::polynomial) refuse("results are not written as polynomials");
  if (format == ValueFormat::text) return write_numbers(values, sink, pool);
  PackedValues table = table_of(values, pool);
  if (format == ValueFormat::packed) return write_packed(table, sink);
  if (format == ValueFormat::bits) return write_lines(table, columns, Digits::bits, sink, pool);
  if (sage_order) reverse_rows(table, columns);
  write_lines(table, columns, Digits::hexadecimal, sink, pool);
}

// In the format of --to; by default that of the input, or text for truth tables.
void write_results(const SpectralRequest& request, const SpectralInput& input, const Values& values) {
  const ValueFormat to = choice_value(request.arguments, "to", kValueFormats)
                             .value_or(input.result_format.value_or(ValueFormat::text));
  const bool sage_order = is_sage_order(request.arguments);
  const bool numbers = to == ValueFormat::npy || to == ValueFormat::raw;
  const bool narrow = input.halves && std::holds_alternative<Array<float>>(values);
  auto halves = narrow ? convert<core::Float16>(std::get<Array<float>>(values).span(), request.pool)
                       : Array<core::Float16>();
  const auto bytes = narrow ? std::as_bytes(halves.span()) : bytes_of(values);
  const std::string_view type = narrow ? kNpyHalf : kNpyTypes[values.index()];
  const std::string header = to == ValueFormat::npy ? npy_header(type, input.shape) : "";
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(header)), bytes};
  write_output(
      request.arguments,
      {.binary = numbers || to == ValueFormat::packed,
       .npy = to == ValueFormat::npy,
       .input = input.file,
       .expected_bytes = numbers ? bytes.size() : 0,
       .threads = request.pool.threads()},
      [&](stream::Sink& sink) {
        if (numbers) return sink.write_parts(parts);
        const Values rounded = narrow ? convert<float>(std::as_const(halves).span(), request.pool) : Values();
        write_values(narrow ? rounded : values, input.shape.columns, to, sage_order, sink, request.pool);
      });
}

template <class T>
void require_exact(bool exact, bool inverse) {
  if (exact) return;
  refuse("{}coefficients may exceed {}-bit integers; use --type {}", inverse ? "sums of " : "", 8 * sizeof(T),
         sizeof(T) == 4 ? "int64" : "float64");
}

void run_paper(std::span<std::int32_t> values, const SpectralRequest& request, std::uint64_t row_size) {
  if (row_size != values.size() || request.ordering != Ordering::natural)
    refuse("algorithms 0 to 6 transform one row, in natural order");
  if (*request.engine.algorithm == 0) return spectral::paper_walsh_0(values);
  const Gpu& gpu = *request.gpu.get(*request.engine.device);
  gpu.require(8 * values.size());
  const device::Buffer<std::int32_t> other(gpu.stream, values.size(), device::Contents::open);
  spectral::cuda::on_device(values, gpu.stream, [&](device::DeviceSpan<std::int32_t> on_gpu) {
    spectral::cuda::paper_walsh(*request.engine.algorithm, on_gpu, other.span(), {}, gpu.stream);
  });
}

// The GPU for transforms of that size, with room for `bytes`; null: the CPU. After this a failure is an
// error, since the values may have been overwritten.
const Gpu* gpu_for(const SpectralRequest& request, std::uint64_t values, int variables, std::uint64_t bytes) {
  return request.gpu
      .run(choice::WorkKind::walsh, transform_units(values, variables),
           [&](const Gpu& gpu) {
             gpu.require(bytes);
             return &gpu;
           })
      .value_or(nullptr);
}

// A unit of choice::WorkKind::walsh is for 32 bits.
double units_of_width(std::size_t bytes, std::uint64_t values, int variables) {
  return static_cast<double>(bytes) / 4 * transform_units(values, variables);
}

template <class T>
void transform(std::span<T> values, bool inverse, const SpectralRequest& request, std::uint64_t row_size) {
  const int n = spectral::log2_exact(row_size);
  const std::uint64_t bytes = (request.ordering == Ordering::natural ? 1 : 2) * values.size() * sizeof(T);
  const Gpu* const gpu = request.engine.algorithm ? nullptr : gpu_for(request, values.size(), n, bytes);
  if (gpu == nullptr && !request.engine.device)
    say_estimate(request, choice::WorkKind::walsh, units_of_width(sizeof(T), values.size(), n));
  if (!inverse && !request.engine.algorithm && gpu == nullptr)
    return require_exact<T>(spectral::walsh_if_exact(values, n, request.work()), inverse);
  require_exact<T>(spectral::sums_fit(std::span<const T>(values), row_size, {.pool = &request.pool}),
                   inverse);
  if (request.engine.algorithm) {
    if constexpr (std::is_same_v<T, std::int32_t>) {
      if (!inverse) return run_paper(values, request, row_size);
    }
    refuse("algorithms 0 to 6 are for walsh of int32; give --type int32");
  }
  if (gpu == nullptr) return spectral::inverse_walsh(values, n, request.work());
  spectral::cuda::on_device_within_range(values, values, n, gpu->stream, [&](device::DeviceSpan<T> on_gpu) {
    inverse ? spectral::cuda::inverse_walsh(on_gpu, n, request.ordering, gpu->stream)
            : spectral::cuda::walsh(on_gpu, n, request.ordering, gpu->stream);
  });
}

// The spectrum of one truth table, which enters the transform as bits.
std::optional<Values> spectrum_of_table(const SpectralInput& input, const SpectralRequest& request) {
  const auto* tables = std::get_if<Tables>(&input.data);
  const bool fits = tables != nullptr && tables->size() == 1 && !request.engine.algorithm &&
                    input.type.value_or(ValueType::int32) == ValueType::int32;
  if (!fits) return std::nullopt;
  const spectral::TruthTable& table = tables->front();
  const int n = table.variables();
  const bool suits_gpu = n != 0 && request.ordering == Ordering::natural;
  if (!suits_gpu && request.gpu.device_for(choice::WorkKind::walsh, transform_units(table.size(), n)))
    return std::nullopt;
  Array<std::int32_t> values(table.size());
  if (const Gpu* gpu = gpu_for(request, table.size(), n, bytes_on_gpu(table))) {
    spectral::cuda::walsh_spectrum(table, values.span(), gpu->stream);
  } else {
    say_estimate(request, choice::WorkKind::walsh, transform_units(table.size(), n));
    spectral::walsh_spectrum(table, values.span(), request.work());
  }
  return values;
}

// The numbers of the input; for truth tables their polarity or their 0s and 1s.
Values take_numbers(SpectralInput& input, TableMeans means, ValueType type, threads::ThreadPool& pool) {
  if (auto* values = std::get_if<Values>(&input.data)) return std::move(*values);
  return numbers_of(std::get<Tables>(input.data), means, input.type.value_or(type), pool);
}

// 2^n times a function of 32-bit integers may need more bits before the inverse divides.
Values transformed(SpectralInput& input, bool inverse, const SpectralRequest& request) {
  if (std::optional<Values> spectrum = spectrum_of_table(input, request)) return std::move(*spectrum);
  Values values = take_numbers(input, TableMeans::polarity, ValueType::int32, request.pool);
  const std::uint64_t row_size = input.shape.columns;
  const auto* narrow = std::get_if<Array<std::int32_t>>(&values);
  const bool widen =
      inverse && narrow != nullptr && !spectral::sums_fit(narrow->span(), row_size, request.work());
  if (widen) values = as_type(std::move(values), ValueType::int64, request.pool);
  std::visit([&](auto& v) { transform(v.span(), inverse, request, row_size); }, values);
  return widen ? as_type(std::move(values), ValueType::int32, request.pool) : std::move(values);
}

// Convolutions of integers are computed in 64 bits.
Values widened(Values values, threads::ThreadPool& pool) {
  const bool narrow = std::holds_alternative<Array<std::int32_t>>(values);
  return narrow ? as_type(std::move(values), ValueType::int64, pool) : std::move(values);
}

// Each function with that many transforms of 64 bits.
void say_convolutions(const SpectralRequest& request, const SpectralInput& input, std::uint64_t values,
                      int transforms) {
  if (request.engine.device) return;
  const int variables = spectral::log2_exact(input.shape.columns);
  say_estimate(request, choice::WorkKind::walsh, transforms * units_of_width(8, values, variables));
}

template <class T>
void convolve(std::span<T> f, std::span<T> g, const SpectralRequest& request) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    throw Error(Errc::engine, "convolution in 32 bits");  // callers give 64
  } else {
    if (!request.engine.device) return spectral::dyadic_convolve(f, g, request.work());
    const Gpu& gpu = *request.gpu.get(*request.engine.device);
    gpu.require(2 * f.size() * sizeof(T));
    spectral::cuda::dyadic_convolve(f, g, gpu.stream);
  }
}

void require_one_row(const SpectralInput& input) {
  if (input.shape.rows != 1) refuse("the input has several rows; give one function");
}

// Converts to --type, also if the work took more bits.
Values as_asked(Values values, const SpectralInput& input, threads::ThreadPool& pool) {
  return input.type ? as_type(std::move(values), *input.type, pool) : std::move(values);
}

}  // namespace

void run_transform(const SpectralRequest& request, bool inverse) {
  const std::string name = file_operands(request, 1)[0];
  const Needs needs = inverse ? Needs::spectrum : Needs::function;
  SpectralInput input =
      read_input(name, request.arguments, needs, request.pool, expect_gpu(request, choice::WorkKind::walsh));
  const Values values = transformed(input, inverse, request);
  write_results(request, input, values);
}

void run_convolve(const SpectralRequest& request) {
  const std::vector<std::string> names = file_operands(request, 2);
  SpectralInput first = read_input(names[0], request.arguments, Needs::numbers, request.pool);
  SpectralInput second = read_input(names[1], request.arguments, Needs::numbers, request.pool);
  require_one_row(first);
  require_one_row(second);
  Values f = widened(take_numbers(first, TableMeans::bits, ValueType::int64, request.pool), request.pool);
  Values g = widened(take_numbers(second, TableMeans::bits, ValueType::int64, request.pool), request.pool);
  if (f.index() != g.index()) refuse("the two functions have different types; give --type");
  const auto run = [&](auto& v) {
    say_convolutions(request, first, v.size(), 3);
    convolve(v.span(), std::get<std::remove_reference_t<decltype(v)>>(g).span(), request);
  };
  std::visit(run, f);
  write_results(request, first, as_asked(std::move(f), first, request.pool));
}

void run_autocorrelate(const SpectralRequest& request) {
  const std::string name = file_operands(request, 1)[0];
  SpectralInput input = read_input(name, request.arguments, Needs::function, request.pool);
  Values values =
      widened(take_numbers(input, TableMeans::polarity, ValueType::int64, request.pool), request.pool);
  const auto columns = static_cast<std::size_t>(input.shape.columns);
  const auto run = [&](auto& v) {
    say_convolutions(request, input, v.size(), 2);
    for (std::size_t at = 0; at < v.size(); at += columns) {
      const auto row = v.span().subspan(at, columns);
      convolve(row, row, request);
    }
  };
  std::visit(run, values);
  write_results(request, input, as_asked(std::move(values), input, request.pool));
}

}  // namespace fugu::cli
