// Help, the manual page and the shell completion, all made from the table.
#pragma once

#include <string>

#include "cli/options.hpp"

namespace fugu::cli {

std::string help_text();  // of the program
std::string help_text(const Subcommand& subcommand);
std::string manual_page();  // man(7) source
std::string bash_completion();
std::string version_text();

}  // namespace fugu::cli
