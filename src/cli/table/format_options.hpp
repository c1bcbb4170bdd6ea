// The formats in the table of subcommands: options derived from the codecs' own rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "fugu/format/option.hpp"

namespace fugu::cli {

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
