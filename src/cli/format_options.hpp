// The formats in the table of subcommands: options made of the codecs' own rows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cli/options.hpp"

namespace fugu::cli {

enum class FormatUse : std::uint8_t { encrypt, decrypt, verify };

// A group for what all formats share, and one for each format that has options of its own. An option that
// several formats have stands in the first one's group. The result lives as long as the program.
std::span<const OptionGroup> format_groups(FormatUse use);

// What is said about the format that encryption writes by default.
std::string_view default_format_text();

}  // namespace fugu::cli
