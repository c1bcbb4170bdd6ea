// Which program this is: its name stands before every message.
#pragma once

#include <string_view>

namespace fugu::cli {

// "fugu", or what set_program_name() said: a text that lives as long as the program.
std::string_view program_name() noexcept;
void set_program_name(std::string_view name) noexcept;

}  // namespace fugu::cli
