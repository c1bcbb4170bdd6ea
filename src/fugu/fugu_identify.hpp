// What open() and seal() do first, for calls of a codec's other functions.
#pragma once

#include "fugu/format/codec.hpp"
#include "fugu/fugu.hpp"

namespace fugu {

// What open() knows of an input before it needs the secret.
struct Identified {
  const format::Codec* codec = nullptr;
  format::TextEncoding encoding = format::TextEncoding::binary;
  std::unique_ptr<stream::Source> source;  // at its beginning, decoded from text
  bool by_secret = false;                  // the secret revealed the format
  format::OptionValues options;
};
FUGU_EXPORT Identified identify(std::unique_ptr<stream::Source> source, Observer& observer,
                                const OpenOptions& options = {});

// The codec of a container that is a directory. Throws Error{unknown_format}.
FUGU_EXPORT const format::Codec& identify(stream::TreeSource& directory, std::string_view format = {});

// Throws Error{usage} for a secret of a kind that the codec does not take. A codec without a secret ignores
// any.
FUGU_EXPORT void check_secret_kind(const format::Codec& codec, format::SecretKind kind,
                                   format::OptionUse use);

// Throws Error{usage} for options that the codec does not have, or that contradict each other.
FUGU_EXPORT format::OptionValues option_values(const format::Codec& codec, const FormatOptions& options,
                                               format::OptionUse use);

}  // namespace fugu
