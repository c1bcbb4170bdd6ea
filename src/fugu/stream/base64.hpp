// Base64 (RFC 4648, 4) as `openssl enc -a` and `-A` write and read it, as a Sink and a Source over others.
#pragma once

#include <memory>

#include "fugu/export.hpp"
#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::stream {

// The value of a base64 digit in either alphabet of RFC 4648 (4 and 5); -1 for any other character.
FUGU_EXPORT int base64_digit(char c) noexcept;

// Wrapped: lines of 64 characters. finish() writes the rest and finishes `inner`, which outlives the result.
// The encoding of empty input is empty, without a newline, as OpenSSL 3.0 writes it.
FUGU_EXPORT std::unique_ptr<Sink> base64_encoder(Sink& inner, TextLines lines);

// Reads either alphabet of RFC 4648 (4 and 5). Lines have any length and any ending: white space is skipped
// everywhere. Throws Error{damaged} with the offset of an invalid character and the spelling that it is of
// (quotes, escapes), of stray bits before padding (RFC 4648, 3.5), of anything but white space after it, and
// when the input ends inside a group: then it says how many '=' are missing, if that is all.
FUGU_EXPORT std::unique_ptr<Source> base64_decoder(std::unique_ptr<Source> inner);

}  // namespace fugu::stream
