#include "cli/sbox/boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "cli/files/apart.hpp"
#include "cli/files/files.hpp"
#include "cli/process/console.hpp"
#include "cli/sbox/keyed.hpp"
#include "cli/spectral/input.hpp"
#include "fugu/error.hpp"
#include "fugu/format/option.hpp"
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

// Throws Error{io} for an operand that names nothing.
void require_something(const std::string& operand) {
  std::error_code ignored;
  if (operand == kStandardStream) return;
  if (std::filesystem::status(operand, ignored).type() != std::filesystem::file_type::not_found) return;
  throw Error(Errc::io, fmt::format("no file and no named box{}; see fugu sbox list", nearest_box(operand)));
}

std::optional<NamedBox> built_in_box(const std::string& operand, const Arguments& arguments) {
  if (is_file(operand)) return std::nullopt;
  std::optional<spectral::SBox> box = keyed_box(operand, arguments);
  if (!box) box = listed_box(operand);
  if (!box) return std::nullopt;
  return NamedBox{operand, std::move(*box)};
}

// Runs work that may throw because of the file's contents.
template <class Work>
auto in_file(const std::string& operand, Work work) {
  try {
    return work();
  } catch (Error& error) {
    if (operand != kStandardStream) error.add_context(printable(operand));
    throw;
  }
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

std::string nearest_box(std::string_view operand) {
  const auto lower = [](std::string_view text) {
    std::string result(text.substr(0, text.find_first_of(": ")));
    std::ranges::transform(result, result.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return result;
  };
  std::vector<std::string> lowered{"blowfish"};
  std::vector<std::string_view> names{"blowfish:1"};
  for (const spectral::BoxName& row : spectral::box_names()) {
    lowered.push_back(lower(row.name));
    names.push_back(row.name);
  }
  const std::string given = lower(operand);
  const auto nearest =
      format::nearest_word(given, std::vector<std::string_view>(lowered.begin(), lowered.end()));
  if (!nearest) return "";
  return fmt::format(" (did you mean {}?)",
                     names[static_cast<std::size_t>(std::ranges::find(lowered, *nearest) - lowered.begin())]);
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

NamedBox read_one_box(const std::string& operand, const Arguments& arguments) {
  if (std::optional<NamedBox> box = built_in_box(operand, arguments)) return std::move(*box);
  return in_file(operand, [&]() -> NamedBox {
    require_something(operand);
    const auto [bytes, file] = read_all(operand, arguments);
    return {operand, parse_box(bytes, box_options(arguments)), file};
  });
}

Boxes::Boxes(const std::string& operand, const Arguments& arguments) : operand_(operand) {
  if (arguments.has("batch")) one_ = built_in_box(operand, arguments);
  if (!one_ && arguments.has("batch")) {
    in_file(operand, [&] {
      require_something(operand);
      auto [bytes, file] = read_all(operand, arguments);
      file_ = file;
      batch_ = std::make_unique<BoxBatch>(std::move(bytes), box_options(arguments));
    });
    return;
  }
  if (!one_) one_ = read_one_box(operand, arguments);
  file_ = one_->file;
}

std::vector<NamedBox> Boxes::read(std::size_t first, std::size_t count) const {
  if (!batch_) return {*one_};
  std::vector<spectral::SBox> read = in_file(operand_, [&] { return batch_->read(first, count); });
  std::vector<NamedBox> boxes;
  boxes.reserve(count);
  for (spectral::SBox& box : read)
    boxes.push_back({fmt::format("{}:{}", operand_, first + boxes.size() + 1), std::move(box), file_});
  return boxes;
}

}  // namespace fugu::cli
