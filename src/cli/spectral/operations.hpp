// The operations of fugu spectral, one or a few to a source file, and what most of them use.
#pragma once

#include <complex>
#include <iterator>

#include "cli/lab/work.hpp"
#include "cli/process/json.hpp"

namespace fugu::cli {

void run_transform(const SpectralRequest& request, bool inverse);
void run_convolve(const SpectralRequest& request);
void run_autocorrelate(const SpectralRequest& request);

// Over the groups of --group: C_q1 x ... x C_qm instead of C_2^n.
void run_vilenkin_chrestenson(const SpectralRequest& request);
void run_group_convolve(const SpectralRequest& request);
void run_group_autocorrelate(const SpectralRequest& request);

// Functions on C_p^n with values 0 to p - 1: one line per function.
void run_group_properties(const SpectralRequest& request);

// Numbers of any type, complex ones among them, as .npy, raw bytes or text.
enum class TableFormat : std::uint8_t { npy, raw, text };

// The format of --to. Throws Error{usage} for other formats.
inline std::optional<TableFormat> table_format_option(const Arguments& arguments) {
  constexpr Choice<TableFormat> kFormats[] = {
      {"npy", TableFormat::npy}, {"raw", TableFormat::raw}, {"text", TableFormat::text}};
  return choice_value(arguments, "to", kFormats);
}

// The type's name in the header of an .npy file.
template <class T>
inline constexpr std::string_view kNpyDescr = "";
template <>
inline constexpr std::string_view kNpyDescr<std::uint8_t> = "|u1";
template <>
inline constexpr std::string_view kNpyDescr<std::uint16_t> = "<u2";
template <>
inline constexpr std::string_view kNpyDescr<std::uint32_t> = "<u4";
template <>
inline constexpr std::string_view kNpyDescr<std::int64_t> = "<i8";
template <>
inline constexpr std::string_view kNpyDescr<std::complex<float>> = "<c8";
template <>
inline constexpr std::string_view kNpyDescr<std::complex<double>> = "<c16";

// Complex numbers as 1.5-2i.
template <class T>
void append_text(std::string& text, const T& value) {
  fmt::format_to(std::back_inserter(text), "{}", value);
}
template <class T>
void append_text(std::string& text, const std::complex<T>& value) {
  fmt::format_to(std::back_inserter(text), "{}{:+}i", value.real(), value.imag());
}

// `width` numbers a line.
template <class T>
std::string numbers_text(const std::vector<T>& numbers, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    append_text(text, numbers[i]);
    text += (i + 1) % width == 0 ? '\n' : ' ';
  }
  return text;
}

}  // namespace fugu::cli
