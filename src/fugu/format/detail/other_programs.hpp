// Files of other programs, named by their magic numbers. Private to format.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fugu::format {

// "this is an age file: open it with age"; empty for unknown ones. `last_sector`: empty if it cannot be seen.
std::string other_program(std::span<const std::byte> head, std::span<const std::byte> last_sector);

}  // namespace fugu::format
