// Files of other programs, named by their magic numbers. Private to format.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fugu::format {

// "this is an age file: open it with age"; empty for unknown ones.
std::string other_program(std::span<const std::byte> head);

}  // namespace fugu::format
