// The one table of subcommands and options.
#pragma once

#include <span>

#include "cli/options.hpp"

namespace fugu::cli {

std::span<const Subcommand> subcommands();

// "decrypt", "dec", "-d"
std::vector<std::string_view> names_of(const Subcommand& subcommand);

// By any of its names. Throws Error{usage} naming the choices and the nearest of them.
const Subcommand& find_subcommand(std::string_view name);

}  // namespace fugu::cli
