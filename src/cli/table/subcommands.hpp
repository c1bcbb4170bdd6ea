// The one table of subcommands and options.
#pragma once

#include <span>

#include "cli/options.hpp"

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

}  // namespace fugu::cli
