// ASCII armor (RFC 9580, 6). Private to openpgp.
#pragma once

#include <memory>
#include <span>

#include "fugu/stream/source.hpp"

namespace fugu::format {

bool is_armor(std::span<const std::byte> head);

// Decodes an armored message. Throws Error{damaged} for other text, for a wrong checksum, for a truncated
// text and for anything but white space after the last line. `inner` outlives it.
std::unique_ptr<stream::Source> dearmored(stream::Source& inner);

}  // namespace fugu::format
