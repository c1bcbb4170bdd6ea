// Base64 inside of text formats. Private to format.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace fugu::format {

// Empty for what is no base64 (stream/base64.hpp says what is).
std::optional<std::vector<std::byte>> parse_base64(std::string_view text);

}  // namespace fugu::format
