// Reads integers and complex numbers.
#include "cli/spectral/group_input.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>

#include "cli/lab/text.hpp"

namespace fugu::cli {
namespace {

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
    if (!value) {
      throw Error(Errc::usage, fmt::format("value {}, '{}', is no number", values.size() + 1,
                                           printable(word.substr(0, 40))));
    }
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
    throw Error(Errc::damaged, "the .npy file does not hold as many values as its header says");
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

}  // namespace

std::size_t GroupInput::size() const {
  return std::visit([](const auto& v) { return v.size(); }, values);
}

Complexes GroupInput::complexes() const {
  if (const auto* complex = std::get_if<Complexes>(&values)) return *complex;
  const Integers& integers = std::get<Integers>(values);
  return {integers.begin(), integers.end()};
}

const Integers& GroupInput::integers() const {
  if (const auto* integers = std::get_if<Integers>(&values)) return *integers;
  throw Error(Errc::usage, "this needs integers");
}

GroupInput read_group_input(const std::string& name, const SpectralRequest& request,
                            const spectral::CharacterGroup& group) {
  return in_file(name, [&] {
    const FileBytes file = read_all(name, request.arguments);
    GroupInput input{.values = {}, .is_npy = file.bytes.starts_with(kNpyMagic), .file = file.file};
    input.values = input.is_npy ? read_npy(file.bytes) : read_text(file.bytes, request.pool);
    if (input.size() == 0) throw Error(Errc::usage, "the input holds no values");
    if (input.size() % group.order() != 0) {
      throw Error(Errc::usage,
                  fmt::format("{} values are not whole rows of the group's {}", input.size(), group.order()));
    }
    return input;
  });
}

}  // namespace fugu::cli
