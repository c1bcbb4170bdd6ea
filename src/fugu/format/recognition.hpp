// Recognises an input by its beginning, in binary or in a text encoding.
#pragma once

#include "fugu/format/codec.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::format {

struct Recognised {
  std::unique_ptr<stream::Source> source;  // decoded beginning of the input
  TextEncoding encoding = TextEncoding::binary;
  std::vector<const Codec*> codecs;  // as format::recognise()
  // When no codec matches:
  std::vector<std::byte> head;  // the beginning
  std::string other_program;    // "this is an age file: open it with age", or empty
  std::string looks;            // "base64 text, 8 bytes decoded, a multiple of 8"; empty if nothing is known
};

// Reads the beginning of `source`. `encoding` is the input's encoding if known; otherwise text is decoded
// when its content is recognised. `only` asks this codec alone. Throws what reading throws,
// Error{damaged} for text that is not in the known encoding and for bytes that lost some to U+FFFD, and
// Error{unknown_format} for digits that `only` would take for the bytes of a file without a header.
FUGU_EXPORT Recognised recognise(std::unique_ptr<stream::Source> source,
                                 std::optional<TextEncoding> encoding = {}, const Codec* only = nullptr);

// The codec whose container the directory is, by the file in it that identifies it; null if there is none.
// Throws what reading throws.
FUGU_EXPORT const Codec* recognise(stream::TreeSource& directory);

// What the beginning of an input that no codec recognises is read as; binary where it is not text. Private to
// format.
TextEncoding encoding_of(std::string_view text);

// The first of the codec's tree_heads that the directory holds; null if it holds none. Throws Error{io}.
FUGU_EXPORT std::unique_ptr<stream::Source> open_tree_head(stream::TreeSource& directory, const Codec& codec);

// What Windows puts in front of a text in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Without one in front.
std::unique_ptr<stream::Source> without_mark(std::unique_ptr<stream::Source> source);

// Decodes `encoding`, without a byte order mark in front.
FUGU_EXPORT std::unique_ptr<stream::Source> decoded(std::unique_ptr<stream::Source> source,
                                                    TextEncoding encoding);

// The same in memory: `into` has 8 bytes more than the text.
FUGU_EXPORT stream::DecodedText decode_text(std::string_view text, TextEncoding encoding,
                                            std::span<std::byte> into) noexcept;

// Whether the text, which may be a beginning unless it `ends`, spells its bytes as stream/dress.hpp has it.
bool is_dressed(std::string_view text, TextEncoding encoding, bool ends);

// Decodes the beginning of `text` from base64 or hex, up to kRecogniseBytes and as far as it is valid. The
// decoder of the whole input reports errors in the rest. Private to format.
std::vector<std::byte> decoded_head(std::span<const std::byte> text, TextEncoding encoding);

}  // namespace fugu::format
