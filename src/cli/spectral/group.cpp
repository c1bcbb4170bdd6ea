// fugu spectral over groups C_q1 x ... x C_qm.

#include <charconv>
#include <cstring>

#include "cli/spectral/operations.hpp"
#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"
#include "fugu/spectral/groups/group_functions.hpp"
#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"

namespace fugu::cli {
namespace {

using spectral::CharacterGroup;
using Integers = std::vector<std::int64_t>;
using Complexes = std::vector<std::complex<double>>;

// Rows of the group's order: integers, or complex numbers.
struct GroupInput {
  std::variant<Integers, Complexes> values;
  bool is_npy = false;
  std::optional<stream::FileId> file = {};

  std::size_t size() const {
    return std::visit([](const auto& v) { return v.size(); }, values);
  }

  Complexes complexes() const {
    return std::visit([](const auto& v) { return Complexes(v.begin(), v.end()); }, values);
  }

  // Throws Error{usage} if the input is not integers.
  const Integers& integers() const {
    if (const auto* integers = std::get_if<Integers>(&values)) return *integers;
    refuse("this needs integers, and the input has other numbers");
  }
};

constexpr std::string_view kSeparators = " \n\t\r,";

// Removes a number from the front of `text`.
std::optional<double> take_real(std::string_view& text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// 2, 1.5-2i, 3j
std::optional<std::complex<double>> parse_complex(std::string_view word) {
  const std::optional<double> first = take_real(word);
  if (!first) return std::nullopt;
  if (word.empty()) return *first;
  const auto is_unit = [](std::string_view rest) { return rest == "i" || rest == "j"; };
  if (is_unit(word)) return std::complex<double>(0, *first);
  if (word[0] != '+' && word[0] != '-') return std::nullopt;
  const std::optional<double> second = take_real(word);
  if (!second || !is_unit(word)) return std::nullopt;
  return std::complex<double>(*first, *second);
}

Complexes read_complex_text(std::string_view text) {
  Complexes values;
  for (std::size_t at = text.find_first_not_of(kSeparators); at != std::string_view::npos;
       at = text.find_first_not_of(kSeparators, at)) {
    const std::size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const auto value = parse_complex(word);
    if (!value) refuse("value {}, '{}', is not a number", values.size() + 1, printable(word.substr(0, 40)));
    values.push_back(*value);
    at = end;
  }
  return values;
}

std::variant<Integers, Complexes> read_text(std::string_view text, threads::ThreadPool& pool) {
  const bool complex = text.find_first_of("ij") != std::string_view::npos;
  if (complex) return read_complex_text(text);
  const Values values = read_numbers(text, std::nullopt, pool);
  if (const auto* integers = std::get_if<Array<std::int64_t>>(&values))
    return Integers(integers->span().begin(), integers->span().end());
  const std::span<const double> reals = std::get<Array<double>>(values).span();
  return Complexes(reals.begin(), reals.end());
}

template <class T>
Complexes complexes_of(const Shape& shape, std::string_view bytes) {
  if (bytes.size() != shape.rows * shape.columns * sizeof(T))
    throw Error(Errc::damaged, "the .npy file's length does not match its header");
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return {values.begin(), values.end()};
}

std::variant<Integers, Complexes> read_npy(std::string_view bytes) {
  const auto [header, data] = npy_parts(bytes);
  if (header.descr == "<c8") return complexes_of<std::complex<float>>(header.shape, data);
  if (header.descr == "<c16") return complexes_of<std::complex<double>>(header.shape, data);
  if (header.descr == "<f4") return complexes_of<float>(header.shape, data);
  if (header.descr == "<f8") return complexes_of<double>(header.shape, data);
  const Array<std::int64_t> integers = npy_integers(header, data);
  return Integers(integers.span().begin(), integers.span().end());
}

// .npy of integers, floats or complex numbers, or text with white space or commas between the numbers, a
// complex one as 1.5-2i. Throws Error naming the file.
GroupInput read_group_input(const std::string& name, const SpectralRequest& request,
                            const spectral::CharacterGroup& group) {
  return in_file(name, [&] {
    const FileBytes file = read_all(name, request.arguments);
    GroupInput input{.values = {}, .is_npy = file.bytes.starts_with(kNpyMagic), .file = file.file};
    input.values = input.is_npy ? read_npy(file.bytes) : read_text(file.bytes, request.pool);
    if (input.size() == 0) refuse("the input holds no values");
    if (input.size() % group.order() != 0)
      refuse("{} values are not whole rows of {}, the group's order", input.size(), group.order());
    return input;
  });
}

CharacterGroup group_of(const SpectralRequest& request) {
  const std::optional<std::string> text = request.arguments.value("group");
  if (!text) refuse("give --group, such as 3^8, 2x3x4 or 2^3x5");
  return CharacterGroup::parse(*text);
}

// A GPU transforms complex values only.
void refuse_gpu(const SpectralRequest& request) {
  if (request.engine.device) throw Error(Errc::no_device, "this runs only on the CPU; use --engine cpu");
}

spectral::GroupOptions work_of(const SpectralRequest& request) {
  return {.pool = &request.pool};
}

// Writes `width` numbers per value, which share a line of text.
template <class T>
void write_numbers(const SpectralRequest& request, const GroupInput& input, const std::vector<T>& numbers,
                   const CharacterGroup& group, std::size_t width = 1) {
  const TableFormat format =
      table_format_option(request.arguments).value_or(input.is_npy ? TableFormat::npy : TableFormat::text);
  std::string head;
  if (format == TableFormat::npy) {
    const std::uint64_t columns = width > 1 ? width : group.order();
    const std::uint64_t rows = numbers.size() / columns;
    head = npy_header(kNpyDescr<T>, {rows, columns, width > 1 || rows > 1});
  }
  if (format == TableFormat::text) head = numbers_text(numbers, width);
  const auto bytes =
      format == TableFormat::text ? std::span<const std::byte>() : std::as_bytes(std::span(numbers));
  write_output(
      request.arguments,
      {.binary = format != TableFormat::text, .npy = format == TableFormat::npy, .input = input.file},
      [&](stream::Sink& sink) {
        const std::span<const std::byte> parts[] = {std::as_bytes(std::span(head)), bytes};
        sink.write_parts(parts);
      });
}

// Values 0 to L - 1 of a function, L being the group's modulus.
std::vector<std::uint32_t> function_values(const Integers& integers, const CharacterGroup& group) {
  std::vector<std::uint32_t> values;
  values.reserve(integers.size());
  for (const std::int64_t x : integers) {
    if (x < 0 || x >= group.modulus())
      refuse("value {} is {}, not one of 0 to {}", values.size() + 1, x, group.modulus() - 1);
    values.push_back(static_cast<std::uint32_t>(x));
  }
  return values;
}

bool is_function(const SpectralRequest& request) {
  return choice_value(request.arguments, "as", kMeanings) == Meaning::table;
}

// A function f represents zeta^f.
template <class T>
std::vector<std::complex<T>> complexes_of(const SpectralRequest& request, const GroupInput& input,
                                          const CharacterGroup& group) {
  if (!is_function(request)) {
    std::vector<std::complex<T>> values;
    for (const std::complex<double>& value : input.complexes())
      values.emplace_back(converted<T>(value.real()), converted<T>(value.imag()));
    return values;
  }
  const std::vector<std::complex<T>> roots = spectral::roots_of_unity<T>(group.modulus());
  std::vector<std::complex<T>> values;
  for (const std::uint32_t exponent : function_values(input.integers(), group))
    values.push_back(roots[exponent]);
  return values;
}

template <class T>
void transform_complex(const SpectralRequest& request, const GroupInput& input, const CharacterGroup& group) {
  std::vector<std::complex<T>> values = complexes_of<T>(request, input, group);
  const std::span rows(values);
  const bool inverse = request.arguments.has("inverse");
  if (request.engine.device) {
    const Gpu& gpu = *request.gpu.get(*request.engine.device);
    inverse ? spectral::cuda::inverse_vilenkin_chrestenson(group, rows, gpu.stream)
            : spectral::cuda::vilenkin_chrestenson(group, rows, gpu.stream);
  } else {
    inverse ? spectral::inverse_vilenkin_chrestenson(group, rows, work_of(request))
            : spectral::vilenkin_chrestenson(group, rows, work_of(request));
  }
  write_numbers(request, input, values, group);
}

template <bool reduced>
void transform_counts(const SpectralRequest& request, const GroupInput& input, const CharacterGroup& group) {
  refuse_gpu(request);
  if (request.arguments.has("inverse")) refuse("--inverse is for complex values and residues");
  Integers counts = is_function(request)
                        ? counts_of_exponents(group, function_values(input.integers(), group))
                        : counts_of_integers(group, input.integers());
  vilenkin_chrestenson_counts(group, counts, work_of(request));
  if (!reduced) return write_numbers(request, input, counts, group, group.modulus());
  write_numbers(request, input, reduced_counts(group, counts), group, group.modulus() - 1);
}

spectral::ResidueField field_of(const Arguments& arguments, const CharacterGroup& group) {
  if (!arguments.has("modulus")) return spectral::ResidueField::largest(group);
  return {group, static_cast<std::uint32_t>(number_value(arguments, "modulus", 2, (1u << 31) - 1, 0))};
}

std::vector<std::uint32_t> residues_of(const SpectralRequest& request, const GroupInput& input,
                                       const spectral::ResidueField& field) {
  if (is_function(request)) refuse("--as table is not for residues; use --values counts or integers");
  std::vector<std::uint32_t> residues;
  residues.reserve(input.size());
  const auto prime = static_cast<std::int64_t>(field.prime());
  for (const std::int64_t x : input.integers())
    residues.push_back(static_cast<std::uint32_t>((x % prime + prime) % prime));
  return residues;
}

void transform_residues(const SpectralRequest& request, const GroupInput& input,
                        const CharacterGroup& group) {
  refuse_gpu(request);
  const spectral::ResidueField field = field_of(request.arguments, group);
  std::vector<std::uint32_t> rows = residues_of(request, input, field);
  request.arguments.has("inverse")
      ? spectral::inverse_vilenkin_chrestenson(group, field, std::span(rows), work_of(request))
      : spectral::vilenkin_chrestenson(group, field, std::span(rows), work_of(request));
  write_numbers(request, input, rows, group);
}

using Transform = void (*)(const SpectralRequest& request, const GroupInput& input,
                           const CharacterGroup& group);
constexpr Choice<Transform> kSpectrumValues[] = {{"complex64", transform_complex<float>},
                                                 {"complex128", transform_complex<double>},
                                                 {"counts", transform_counts<false>},
                                                 {"integers", transform_counts<true>},
                                                 {"residues", transform_residues}};

using Json = nlohmann::ordered_json;

std::string properties_line(const CharacterGroup& group, const spectral::PValuedSummary& found, bool json) {
  const auto square = found.largest_square;
  if (json) {
    return Json{{"p", group.modulus()},         {"n", group.digits().factors},
                {"balanced", found.balanced},   {"bent", found.bent},
                {"plateaued", found.plateaued}, {"largest_square", square ? Json(*square) : Json()}}
               .dump() +
           "\n";
  }
  return fmt::format("{},{},{},{},{},{}\n", group.modulus(), group.digits().factors, found.balanced ? 1 : 0,
                     found.bent ? 1 : 0, found.plateaued ? 1 : 0, square ? std::to_string(*square) : "-");
}

}  // namespace

void run_vilenkin_chrestenson(const SpectralRequest& request) {
  const CharacterGroup group = group_of(request);
  const Transform transform =
      choice_value(request.arguments, "values", kSpectrumValues).value_or(transform_complex<double>);
  if (request.arguments.has("modulus") && transform != transform_residues)
    refuse("--modulus is for --values residues");
  const GroupInput input = read_group_input(file_operands(request, 1)[0], request, group);
  transform(request, input, group);
}

void run_group_convolve(const SpectralRequest& request) {
  const CharacterGroup group = group_of(request);
  const std::vector<std::string> names = file_operands(request, 2);
  const GroupInput first = read_group_input(names[0], request, group);
  const GroupInput second = read_group_input(names[1], request, group);
  if (first.size() != group.order() || second.size() != group.order())
    refuse("the input has several rows; give one function");
  const auto run = [&](auto f, auto g) {
    group_convolve(group, std::span(f), std::span(g), work_of(request));
    write_numbers(request, first, f, group);
  };
  const auto* f = std::get_if<Integers>(&first.values);
  const auto* g = std::get_if<Integers>(&second.values);
  f != nullptr&& g != nullptr ? run(*f, *g) : run(first.complexes(), second.complexes());
}

void run_group_autocorrelate(const SpectralRequest& request) {
  const CharacterGroup group = group_of(request);
  const GroupInput input = read_group_input(file_operands(request, 1)[0], request, group);
  const auto order = static_cast<std::size_t>(group.order());
  const auto run = [&](auto f) {
    for (std::size_t at = 0; at < f.size(); at += order)
      group_autocorrelate(group, std::span(f).subspan(at, order), work_of(request));
    write_numbers(request, input, f, group);
  };
  std::visit(run, input.values);
}

void run_group_properties(const SpectralRequest& request) {
  const CharacterGroup group = group_of(request);
  const bool json = request.arguments.has("json");
  const GroupInput input = read_group_input(file_operands(request, 1)[0], request, group);
  const std::vector<std::uint32_t> values = function_values(input.integers(), group);
  std::string text = json ? "" : "p,n,balanced,bent,plateaued,largest_square\n";
  const auto order = static_cast<std::size_t>(group.order());
  for (std::size_t at = 0; at < values.size(); at += order) {
    const auto row = std::span(values).subspan(at, order);
    text += properties_line(group, summarize_p_valued(group, row, work_of(request)), json);
  }
  write_output(request.arguments, {.input = input.file}, text);
}

}  // namespace fugu::cli
