// Base64 (RFC 4648, 4) as `openssl enc -a` and `-A` write and read it, as a Sink and a Source over others,
// and in memory.
//
// Every base64 text that other code decodes goes through this file. Writing is strict and plain; reading also
// takes the alphabet for URLs (RFC 4648, 5), in one text not both; text that lost its '=' or lines of any
// length; text in "quotes" or 'quotes'; and one level of the escapes of URLs (%2B %2F %3D %0A %0D) or of JSON
// (\/ \n \r \u002B \u002F \u003D), in one text not both.
#pragma once

#include "fugu/stream/sink.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::stream {

// The value of a base64 digit in either alphabet of RFC 4648 (4 and 5); -1 for any other character.
FUGU_EXPORT int base64_digit(char c) noexcept;

// Writes four characters per three bytes, the last ones with '=', and returns their end.
FUGU_EXPORT char* encode_base64(std::span<const std::byte> bytes, char* to) noexcept;

// Wrapped: lines of 64 characters. finish() writes the rest and finishes `inner`, which outlives the result.
// The encoding of empty input is empty, without a newline, as OpenSSL 3.0 writes it.
FUGU_EXPORT std::unique_ptr<Sink> base64_encoder(Sink& inner, TextLines lines);

// Reads the spellings above; white space is skipped everywhere. Throws Error{damaged} with the offset of an
// invalid character, of stray bits before padding (RFC 4648, 3.5), of anything but white space after the end,
// and when the text ends with one character of a group, in an escape, or before a closing quotation mark.
FUGU_EXPORT std::unique_ptr<Source> base64_decoder(std::unique_ptr<Source> inner);

// The same in memory; the bytes before a truncated end are written too. `into` has 8 bytes more than the
// text.
FUGU_EXPORT DecodedText decode_base64(std::string_view text, std::span<std::byte> into) noexcept;

}  // namespace fugu::stream
