// What the table of formats says of one, for people.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "fugu/format/codec.hpp"

namespace fugu::cli {

// Throws Error{usage} naming the formats when none has this name.
const format::Codec& codec_named(std::string_view name);

// All that the table says of the format, and a row for each of the options.
std::string format_text(const format::Codec& codec, std::span<const OptionSpec> options);

}  // namespace fugu::cli
