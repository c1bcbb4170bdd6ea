// The beginning of a text that stands for bytes. Private to format.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fugu/format/recognition.hpp"

namespace fugu::format {

// What the beginning of `text` stands for, kRecogniseBytes at most, as far as it is of the encoding, base64
// or hex. Decoding the input reports what is wrong with the rest.
std::vector<std::byte> decoded_head(std::span<const std::byte> text, TextEncoding encoding);

}  // namespace fugu::format
