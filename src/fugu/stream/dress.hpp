// Bytes as people and tools print them, which is no text encoding of its own:
//   [35, -79, 0xC9]   {(byte)0x23, ...}   $23, $B1   numbers of one byte each, as languages list them
//   b'\xc9a\n'   "\311a"   %C9a%7F                   characters with escapes
//   00000000: c97f 2e61  ...a                        dumps of xxd and hexdump -C
//   -----BEGIN X-----                                 armor around base64
//   b'Zm9v'                                           digits in a literal of Python
//   Zm9v YmFy                                         base64 whose + became blanks
#pragma once

#include "fugu/stream/source.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::stream {

// `into` has 8 bytes more than the text.
using ReadText = DecodedText (*)(std::string_view text, std::span<std::byte> into) noexcept;

enum class Digits : std::uint8_t { hex, base64 };

struct Dress {
  std::string_view name;  // "a list of numbers"
  ReadText read;
  bool tells_itself = true;  // no file of bytes looks like it
};

// The dress of a text, of which this is the beginning or all; null for what the decoder of its digits reads.
FUGU_EXPORT const Dress* dress_of(std::string_view head, Digits digits) noexcept;

// What `read` makes of the text of `inner`, at the first call. Throws Error{damaged} as base64_decoder(), and
// for a text of more than 16 Mi characters.
FUGU_EXPORT std::unique_ptr<Source> whole_decoder(std::unique_ptr<Source> inner, ReadText read);

}  // namespace fugu::stream
