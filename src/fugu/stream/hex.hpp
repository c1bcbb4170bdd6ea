// Hexadecimal digits as `xxd -p` writes and reads them, as a Sink and a Source over others.
#pragma once

#include <memory>

#include "fugu/export.hpp"
#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::stream {

// Small letters; wrapped: lines of 60 digits. finish() writes what is left and finishes `inner`, which
// outlives the result.
FUGU_EXPORT std::unique_ptr<Sink> hex_encoder(Sink& inner, TextLines lines);

// Digits in either case; white space is skipped wherever it stands. Throws Error{damaged} with the offset of
// any other character, and when the number of digits is odd.
FUGU_EXPORT std::unique_ptr<Source> hex_decoder(std::unique_ptr<Source> inner);

}  // namespace fugu::stream
