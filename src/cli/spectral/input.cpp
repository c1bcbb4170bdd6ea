#include "cli/spectral/input.hpp"

#include <fmt/format.h>

#include "cli/cipher/files.hpp"
#include "cli/cipher/output.hpp"
#include "cli/process/console.hpp"
#include "cli/process/progress.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

constexpr Choice<ValueFormat> kFormats[] = {
    {"npy", ValueFormat::npy},   {"raw", ValueFormat::raw}, {"text", ValueFormat::text},
    {"bits", ValueFormat::bits}, {"hex", ValueFormat::hex}, {"polynomial", ValueFormat::polynomial}};
constexpr Choice<ValueType> kTypes[] = {{"int32", ValueType::int32},
                                        {"int64", ValueType::int64},
                                        {"float32", ValueType::float32},
                                        {"float64", ValueType::float64}};

// Numbers come in rows: of --row-bits, of an .npy array, or all in one.
void set_rows(Input& input, const Values& values, const Arguments& arguments) {
  if (arguments.has("row-bits"))
    input.row_size = std::uint64_t{1} << number_value(arguments, "row-bits", 0, spectral::kMaxLog2Size, 0);
  const std::uint64_t count = std::visit([](const auto& v) { return std::uint64_t{v.size()}; }, values);
  if (count == 0) throw Error(Errc::usage, "the input holds no values");
  spectral::log2_exact(input.row_size);
  if (count % input.row_size != 0)
    throw Error(Errc::usage, fmt::format("{} values are not whole rows of {}", count, input.row_size));
}

Input parse_input(std::string_view bytes, const Arguments& arguments) {
  ReadOptions options;
  options.format = format_option(arguments, "from");
  options.type = choice_value(arguments, "type", kTypes);
  if (arguments.has("variables"))
    options.variables = static_cast<int>(number_value(arguments, "variables", 0, spectral::kMaxVariables, 0));
  Input input = read_values(bytes, options);
  if (const auto* values = std::get_if<Values>(&input.data)) set_rows(input, *values, arguments);
  return input;
}

}  // namespace

std::string read_all(const std::string& name, const Arguments& arguments) {
  const auto source = open_input(name);
  const std::optional<std::uint64_t> size = source->size_bytes();
  Progress progress(progress_style(arguments), size);
  constexpr std::size_t kStep = std::size_t{1} << 24;
  std::string bytes;
  bytes.reserve(size.value_or(0) + kStep);
  for (std::size_t got = kStep; got == kStep;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kStep);
    got = source->read(std::as_writable_bytes(std::span(bytes)).subspan(before));
    bytes.resize(before + got);
    progress.counters().bytes_read += got;
  }
  return bytes;
}

std::optional<ValueFormat> format_option(const Arguments& arguments, std::string_view option) {
  return choice_value(arguments, option, kFormats);
}

void check_spectral_files(const Arguments& arguments) {
  const std::string output = arguments.value("output").value_or(std::string(kStandardStream));
  std::vector<std::string> inputs{std::string(kStandardStream)};
  if (arguments.operands()[0] != "characters")
    inputs.insert(inputs.end(), arguments.operands().begin() + 1, arguments.operands().end());
  for (const std::string& input : inputs) {
    try {
      check_task({input, output}, arguments.has("force"));
    } catch (const OutputError& error) {
      throw Error(error.code(), fmt::format("{}: {}", output_title(output), error.text()));
    } catch (Error& error) {
      error.add_context(printable(input));
      throw;
    }
  }
}

Input read_input(const std::string& name, const Arguments& arguments) {
  try {
    return parse_input(read_all(name, arguments), arguments);
  } catch (Error& error) {
    if (name != kStandardStream) error.add_context(printable(name));
    throw;
  }
}

std::optional<stream::FileId> open_input_id(const std::string& name) {
  if (name == kStandardStream) return std::nullopt;
  return open_input(name)->file_id();
}

}  // namespace fugu::cli
