// Hexadecimal digits as `xxd -p` writes and reads them, as a Sink and a Source over others.
#pragma once

#include <memory>

#include "fugu/export.hpp"
#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::stream {

// The value of a hexadecimal digit in either case; -1 for any other character.
FUGU_EXPORT int hex_digit(char c) noexcept;

// Lower-case digits; wrapped: lines of 60 digits. finish() writes the rest and finishes `inner`, which
// outlives the result.
FUGU_EXPORT std::unique_ptr<Sink> hex_encoder(Sink& inner, TextLines lines);

// Reads digits in either case; white space is skipped everywhere. Throws Error{damaged} with the offset of
// any other character and the spelling that it is of (\x.., 0x.., separators, quotes), and when the number of
// digits is odd.
FUGU_EXPORT std::unique_ptr<Source> hex_decoder(std::unique_ptr<Source> inner);

}  // namespace fugu::stream
