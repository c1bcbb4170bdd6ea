// The formats in the table of subcommands: options derived from the codecs' own rows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cli/options.hpp"

namespace fugu::cli {

enum class FormatUse : std::uint8_t { encrypt, decrypt, verify, rekey };

// A group for the options that all formats share, except for rekey, and one for each format with options of
// its own. An option that several formats have is in the first one's group. The result lives as long as the
// program.
std::span<const OptionGroup> format_groups(FormatUse use);

// The text about the format that encryption writes by default.
std::string_view default_format_text();

}  // namespace fugu::cli
