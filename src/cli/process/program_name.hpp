// The running program's name, which begins every message.
#pragma once

#include <string_view>

namespace fugu::cli {

// "fugu", or the argument of set_program_name(), which lives as long as the program.
std::string_view program_name() noexcept;
void set_program_name(std::string_view name) noexcept;

}  // namespace fugu::cli
