// The one table of subcommands and options.
#pragma once

#include "cli/options.hpp"
#include "fugu/format/option.hpp"

namespace fugu::cli {

// A common command, shown to a user who gives none.
struct UsageRow {
  std::string_view command;
  std::string_view does;
};

// One of the programs built from these sources.
struct Program {
  std::string_view name;      // as in program_name()
  std::string_view synopsis;  // its usage
  std::string_view about;     // a sentence
  std::span<const Subcommand> subcommands;
  std::span<const UsageRow> common;
};

// The running program.
const Program& program();

// Its subcommands, with the options of formats.
std::span<const Subcommand> subcommands();

// "decrypt", "dec", "-d"
std::vector<std::string_view> names_of(const Subcommand& subcommand);

// Finds a subcommand by any of its names. Throws Error{usage} naming the choices and the nearest of them.
const Subcommand& find_subcommand(std::string_view name);

// The formats in the table: options derived from the codecs' own rows.
enum class FormatUse : std::uint8_t { encrypt, decrypt, verify, rekey };

OptionSpec option_spec(const format::OptionRow& row);

// A group for the options that all formats share, except for rekey, and one for each format with options of
// its own: all of them, each with this format's values. The result lives as long as the program.
std::span<const OptionGroup> format_groups(FormatUse use);

// A subcommand's details with these replaced: {default_format} by the text about the format that encryption
// writes by default, {extensions} by those of other formats' files, and {divisible} by the formats of files
// that several processes can work on.
std::string details_with_formats(std::string_view details);

}  // namespace fugu::cli
