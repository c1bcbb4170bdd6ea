// What an input is: recognised by its beginning, in binary or in text that stands for it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/export.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/tree.hpp"

namespace fugu::format {

enum class TextEncoding : std::uint8_t { binary, base64, hex };

// "binary", "base64" or "hex".
FUGU_EXPORT std::string_view name_of(TextEncoding encoding);

struct Recognised {
  std::unique_ptr<stream::Source> source;  // undone from text, at its beginning
  TextEncoding encoding = TextEncoding::binary;
  std::vector<const Codec*> codecs;  // as format::recognise()
  std::string other_program;  // where no codec says yes: "this is an age file: open it with age", or empty
};

// Reads the beginning of `source`. `encoding`: what the input is known to be in; otherwise text is undone
// where what it stands for is recognised. `only`: asks this codec alone. Throws what reading throws, and
// Error{damaged} for text that is not what it is known to be.
FUGU_EXPORT Recognised recognise(std::unique_ptr<stream::Source> source,
                                 std::optional<TextEncoding> encoding = {}, const Codec* only = nullptr);

// The codec whose container the directory is, by the file in it that says so; null where there is none. Throws
// what reading throws.
FUGU_EXPORT const Codec* recognise(stream::TreeSource& directory);

// Undoes the encoding.
FUGU_EXPORT std::unique_ptr<stream::Source> decoded(std::unique_ptr<stream::Source> source,
                                                    TextEncoding encoding);

}  // namespace fugu::format
