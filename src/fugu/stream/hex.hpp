// Hexadecimal digits as `xxd -p` writes and reads them, as a Sink and a Source over others, and in memory.
//
// Every hexadecimal text that other code decodes goes through this file. Writing is strict and plain; reading
// knows the spellings of other programs, each for a whole text:
//   c97f        digits, with white space anywhere
//   0xc97f      the same after one prefix, as SQL Server writes it, or \xc97f, as psql does
//   X'c97f'     the same in a literal of SQL
//   c9:7f       one : or - after each byte but the last, and white space beside it
//   \xc9\x7f    \x before each byte, as Python and C write it, and white space between
// Two of them in one text are an error.
#pragma once

#include "fugu/stream/sink.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::stream {

// The value of a hexadecimal digit in either case; -1 for any other character.
FUGU_EXPORT int hex_digit(char c) noexcept;

// Decodes pairs of digits up to another character, an odd digit at the end, or the end of `into`; returns the
// number of pairs.
FUGU_EXPORT std::size_t decode_hex_pairs(std::string_view digits, std::span<std::byte> into) noexcept;

// Writes two lower-case digits per byte, and returns their end.
FUGU_EXPORT char* encode_hex(std::span<const std::byte> bytes, char* to) noexcept;

// Lower-case digits; wrapped: lines of 60 digits. finish() writes the rest and finishes `inner`, which
// outlives the result.
FUGU_EXPORT std::unique_ptr<Sink> hex_encoder(Sink& inner, TextLines lines);

// Reads the spellings above in either case. Throws Error{damaged} with the offset of a character that does
// not belong to the text's spelling, and when the text ends inside a byte.
FUGU_EXPORT std::unique_ptr<Source> hex_decoder(std::unique_ptr<Source> inner);

// The same in memory. `into` has 8 bytes more than the text.
FUGU_EXPORT DecodedText decode_hex(std::string_view text, std::span<std::byte> into) noexcept;

// The number that Java's new BigInteger(bytes).toString(16) has written: digits without leading zeros, and a
// minus sign for bytes whose first bit is set. Zeros fill the digits up to a multiple of 16; a negative
// number becomes the two's complement of all these bytes. White space may stand around it. `into` has 8 bytes
// more than the text.
FUGU_EXPORT DecodedText decode_signed_hex(std::string_view text, std::span<std::byte> into) noexcept;

// The same over a source, as whole_decoder() (dress.hpp).
FUGU_EXPORT std::unique_ptr<Source> signed_hex_decoder(std::unique_ptr<Source> inner);

}  // namespace fugu::stream
