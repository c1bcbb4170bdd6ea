// The line layout and the white space of encoded text.
#pragma once

#include <cstdint>
#include <string_view>

namespace fugu::stream {

// White space, which means nothing inside and after a text encoding.
inline constexpr std::string_view kTextSpace = " \t\r\n\v\f";

// wrapped: each line ends in a newline, including the last. single: one line without a newline.
enum class TextLines : std::uint8_t { wrapped, single };

}  // namespace fugu::stream
