// Base64 inside text formats. Private to format.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace fugu::format {

// Empty for invalid base64 (defined in stream/base64.hpp).
std::optional<std::vector<std::byte>> parse_base64(std::string_view text);

}  // namespace fugu::format
