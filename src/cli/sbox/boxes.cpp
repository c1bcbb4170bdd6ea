#include "cli/sbox/boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "cli/cipher/apart.hpp"
#include "cli/cipher/files.hpp"
#include "cli/process/console.hpp"
#include "cli/sbox/keyed.hpp"
#include "cli/spectral/input.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/sbox/named.hpp"

namespace fugu::cli {
namespace {

constexpr Choice<BoxFormat> kFormats[] = {{"npy", BoxFormat::npy},     {"text", BoxFormat::text},
                                          {"hex", BoxFormat::hex},     {"u8", BoxFormat::u8},
                                          {"u16le", BoxFormat::u16le}, {"u16be", BoxFormat::u16be},
                                          {"u32le", BoxFormat::u32le}, {"u32be", BoxFormat::u32be},
                                          {"rows", BoxFormat::rows},   {"polynomial", BoxFormat::polynomial},
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
  require_apart(arguments, files, outputs);
}

std::vector<NamedBox> read_file(const std::string& operand, const Arguments& arguments) {
  const BoxOptions options = box_options(arguments);
  const auto [bytes, file] = read_all(operand, arguments);
  if (!arguments.has("batch")) return {{operand, parse_box(bytes, options), file}};
  std::vector<NamedBox> boxes;
  for (spectral::SBox& box : parse_boxes(bytes, options))
    boxes.push_back({fmt::format("{}:{}", operand, boxes.size() + 1), std::move(box), file});
  return boxes;
}

}  // namespace

BoxOptions box_options(const Arguments& arguments) {
  return {.format = choice_value(arguments, "from", kFormats),
          .inputs = bits_option(arguments, "inputs", spectral::kMaxInputs),
          .outputs = bits_option(arguments, "outputs", spectral::kMaxOutputs),
          .bit_order = choice_value(arguments, "bit-order", kBitOrders).value_or(BitOrder::lsb)};
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

std::vector<NamedBox> read_boxes(const std::string& operand, const Arguments& arguments) {
  if (!is_file(operand)) {
    if (std::optional<spectral::SBox> box = keyed_box(operand, arguments))
      return {{operand, std::move(*box)}};
    if (std::optional<spectral::SBox> box = listed_box(operand)) return {{operand, std::move(*box)}};
  }
  try {
    return read_file(operand, arguments);
  } catch (Error& error) {
    if (operand != kStandardStream) error.add_context(printable(operand));
    throw;
  }
}

NamedBox read_one_box(const std::string& operand, const Arguments& arguments) {
  std::vector<NamedBox> boxes = read_boxes(operand, arguments);
  if (boxes.size() != 1) throw Error(Errc::usage, "one box at a time here, not a batch");
  return std::move(boxes.front());
}

}  // namespace fugu::cli
