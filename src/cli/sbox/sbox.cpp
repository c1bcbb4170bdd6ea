// fugu sbox: the S-box laboratory from the shell.
#include <fmt/format.h>

#include <charconv>
#include <new>

#include "cli/cipher/files.hpp"
#include "cli/commands.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/sbox/builtin.hpp"
#include "cli/sbox/components.hpp"
#include "cli/sbox/conventions.hpp"
#include "cli/sbox/equivalence.hpp"
#include "cli/sbox/key_statistics.hpp"
#include "cli/sbox/keyed.hpp"
#include "cli/sbox/report.hpp"
#include "cli/sbox/tables.hpp"
#include "cli/sbox/write.hpp"
#include "cli/spectral/work.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

std::vector<std::string> box_operands(const Arguments& arguments, std::size_t skipped) {
  const auto& operands = arguments.operands();
  std::vector<std::string> names(
      operands.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, operands.size())), operands.end());
  if (names.empty()) names.emplace_back(kStandardStream);
  return names;
}

std::string one_box_operand(const Arguments& arguments, std::size_t skipped) {
  const std::vector<std::string> names = box_operands(arguments, skipped);
  if (names.size() != 1)
    throw Error(Errc::usage, fmt::format("{} takes one box, not {}", arguments.operands()[0], names.size()));
  return names[0];
}

void run_report(const Arguments& arguments) {
  refuse_together(arguments, {"weak-keys", "random-keys"});
  if (arguments.has("weak-keys")) return run_weak_keys(arguments);
  if (arguments.has("random-keys")) return run_key_statistics(arguments);
  refuse_together(arguments, {"json", "csv"});
  const ReportOptions options = report_options(arguments);
  const bool batch = arguments.has("batch");
  const bool json = arguments.has("json");
  const bool csv = arguments.has("csv") || (batch && !json);
  std::string text = csv ? report_csv_header(options) : "";
  std::optional<stream::FileId> input;
  for (const std::string& operand : box_operands(arguments, 1)) {
    for (const NamedBox& box : read_boxes(operand, arguments)) {
      input = box.file;
      const Report report = make_report(box, options, arguments);
      text += csv    ? report_csv(report, options)
              : json ? report_json(report, options, batch)
                     : report_sheet(report, options);
    }
  }
  write_text(arguments, input, text);
}

std::uint32_t mask_operand(const Arguments& arguments, std::string_view what, int bits) {
  if (arguments.operands().size() < 2)
    throw Error(Errc::usage, fmt::format("{} needs {}", arguments.operands()[0], what));
  std::string_view text = arguments.operands()[1];
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size() || value >> bits != 0) {
    throw Error(Errc::usage,
                fmt::format("'{}' is not {} of {} bits", printable(arguments.operands()[1]), what, bits));
  }
  return static_cast<std::uint32_t>(value);
}

void run_inverse(const Arguments& arguments) {
  const std::string operand = one_box_operand(arguments, 1);
  const NamedBox named = read_one_box(operand, arguments);
  try {
    write_box(arguments, named.file, inverse(named.box));
  } catch (Error& error) {
    if (error.code() == Errc::usage && named.file) error.add_context(named.name);
    throw;
  }
}

void run_derivative(const Arguments& arguments) {
  const NamedBox named = read_one_box(one_box_operand(arguments, 2), arguments);
  const std::uint32_t a = mask_operand(arguments, "a difference", named.box.inputs());
  write_box(arguments, named.file, derivative(named.box, a));
}

void run_component(const Arguments& arguments) {
  const NamedBox named = read_one_box(one_box_operand(arguments, 2), arguments);
  const std::uint32_t b = mask_operand(arguments, "a mask", named.box.outputs());
  const spectral::TruthTable function = component(named.box, b);
  std::vector<std::uint32_t> values(function.size());
  for (std::size_t x = 0; x < values.size(); ++x) values[x] = function[x] ? 1u : 0u;
  write_box(arguments, named.file, {named.box.inputs(), 1, std::move(values)});
}

void run_make(const Arguments& arguments) {
  if (arguments.operands().size() != 2)
    throw Error(Errc::usage, "make takes one name; fugu sbox list prints them");
  const std::string& name = arguments.operands()[1];
  const std::optional<spectral::SBox> keyed = keyed_box(name, arguments);
  const std::optional<spectral::SBox> box = keyed ? keyed : builtin_box(name);
  if (!box)
    throw Error(Errc::usage, fmt::format("no box '{}'; fugu sbox list prints the names", printable(name)));
  write_box(arguments, std::nullopt, *box);
}

void run_list(const Arguments& arguments) {
  write_text(arguments, std::nullopt, builtin_list());
}

struct Operation {
  std::string_view name;
  void (*run)(const Arguments&);
};
constexpr Operation kOperations[] = {
    {"report", run_report},         {"spectrum", run_spectrum}, {"table", run_table},
    {"components", run_components}, {"anf", run_box_anf},       {"invariants", run_invariants},
    {"compare", run_compare},       {"inverse", run_inverse},   {"derivative", run_derivative},
    {"component", run_component},   {"make", run_make},         {"list", run_list}};

std::string operation_names() {
  std::string names;
  for (const Operation& operation : kOperations)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", operation.name);
  return names;
}

void run_operation(const Arguments& arguments) {
  if (arguments.operands().empty())
    throw Error(Errc::usage,
                fmt::format("an operation is missing: {}; see fugu sbox --help", operation_names()));
  const std::string& name = arguments.operands()[0];
  for (const Operation& operation : kOperations) {
    if (operation.name == name) return operation.run(arguments);
  }
  throw Error(Errc::usage,
              fmt::format("no operation '{}'; there are {}", printable(name), operation_names()));
}

}  // namespace

int run_sbox(const Arguments& arguments) {
  if (arguments.has("conventions")) {
    write_text(arguments, std::nullopt, std::string(kConventions));
    return kSuccess;
  }
  if (spectral_engine(arguments).device && !arguments.has("exhaustive"))
    throw Error(Errc::no_device, "without --exhaustive, S-boxes are measured on the cpu; use --engine cpu");
  try {
    run_operation(arguments);
  } catch (const std::bad_alloc&) {
    throw Error(Errc::io, "not enough memory for this box");
  }
  return kSuccess;
}

}  // namespace fugu::cli
