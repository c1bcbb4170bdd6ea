// The line layout of encoded text.
#pragma once

#include <cstdint>

namespace fugu::stream {

// wrapped: each line ends in a newline, including the last. single: one line without a newline.
enum class TextLines : std::uint8_t { wrapped, single };

}  // namespace fugu::stream
