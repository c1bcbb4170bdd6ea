// The one table of subcommands and options.
#pragma once

#include <span>

#include "cli/options.hpp"

namespace fugu::cli {

std::span<const Subcommand> subcommands();

// Throws Error{usage} naming the choices.
const Subcommand& find_subcommand(std::string_view name);

}  // namespace fugu::cli
