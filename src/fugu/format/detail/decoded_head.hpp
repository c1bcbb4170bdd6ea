// The beginning of an encoded text. Private to format.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fugu/format/recognition.hpp"

namespace fugu::format {

// Decodes the beginning of `text` from base64 or hex, up to kRecogniseBytes and as far as it is valid. The
// decoder of the whole input reports errors in the rest.
std::vector<std::byte> decoded_head(std::span<const std::byte> text, TextEncoding encoding);

}  // namespace fugu::format
