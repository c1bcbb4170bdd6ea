// How encoded text is laid out.
#pragma once

#include <cstdint>

namespace fugu::stream {

// wrapped: each line ends in a newline, the last one too. single: one line without a newline.
enum class TextLines : std::uint8_t { wrapped, single };

}  // namespace fugu::stream
