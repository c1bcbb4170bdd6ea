// Help, the manual page and the shell completions, all generated from the table.
#pragma once

#include "cli/options.hpp"
#include "fugu/format/codec.hpp"

namespace fugu::cli {

inline constexpr std::string_view kSeveral = "Of several files, the largest status counts.";

struct StatusRow {
  std::string_view status;
  std::string_view meaning;
};

std::span<const StatusRow> statuses();

// All texts are for the running program (subcommands.hpp).
std::string usage_text();  // the commonest commands, in few lines
std::string help_text();
std::string help_text(const Subcommand& subcommand);
std::string help_text(const Subcommand& subcommand, std::string_view format);  // this format's own options
std::string wrapped_text(std::string_view text, std::size_t indent = 0);       // lines of at most 80 columns
std::string options_text(std::span<const OptionSpec> options);                 // a row each
std::string_view first_sentence(std::string_view text);                        // without the dot
std::string version_text();

// Throws Error{usage} naming the formats when none has this name.
const format::Codec& codec_named(std::string_view name);

// All that the table says of the format, and a row for each of the options.
std::string format_text(const format::Codec& codec, std::span<const OptionSpec> options);

std::string manual_page();                   // man(7) source; manual.cpp
extern const std::string_view kRecipesPage;  // fugu-recipes.7
std::string recipes_text();
// What an option means under each subcommand that has it; empty if there is none of this name.
std::string option_help(std::string_view name);

// The script for bash, zsh or fish. Throws Error{usage} for another shell.
std::string completion(std::string_view shell);

}  // namespace fugu::cli
