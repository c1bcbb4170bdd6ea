// Recognises inputs: reads their beginning once and returns it again to later readers.
#include "fugu/format/recognition.hpp"

#include <algorithm>

#include "fugu/error.hpp"
#include "fugu/format/detail/decoded_head.hpp"
#include "fugu/format/detail/other_programs.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::format {
namespace {

using Bytes = std::vector<std::byte>;

// The most text that kRecogniseBytes take: two digits per byte, and the ends of short lines.
constexpr std::size_t kHeadBytes = 3 * kRecogniseBytes;

// The bits of one character, -1 for one that is not in the encoding.
int digit_of(char c, TextEncoding encoding) {
  if (c >= '0' && c <= '9') return encoding == TextEncoding::hex ? c - '0' : c - '0' + 52;
  if (encoding == TextEncoding::hex) {
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

Bytes take_head(std::unique_ptr<stream::Source>& source) {
  Bytes head(kHeadBytes);
  head.resize(source->read(head));
  source = stream::prepend(head, std::move(source));
  return head;
}

std::vector<const Codec*> askers(std::span<const std::byte> head, std::optional<std::uint64_t> size_bytes,
                                 const Codec* only) {
  head = head.first(std::min(head.size(), kRecogniseBytes));
  if (only == nullptr) return recognise(head, size_bytes);
  const bool yes = only->recognise != nullptr && only->recognise(head, size_bytes) != Recognition::no;
  return yes ? std::vector{only} : std::vector<const Codec*>{};
}

}  // namespace

std::vector<std::byte> decoded_head(std::span<const std::byte> text, TextEncoding encoding) {
  const unsigned bits_per_digit = encoding == TextEncoding::hex ? 4 : 6;
  Bytes head;
  unsigned bits = 0;
  unsigned held = 0;
  for (const std::byte byte : text) {
    const char c = static_cast<char>(byte);
    if (is_space(c)) continue;
    const int digit = digit_of(c, encoding);
    if (digit < 0 || head.size() == kRecogniseBytes) break;
    held = (held << bits_per_digit | static_cast<unsigned>(digit)) & 0xffff;
    bits += bits_per_digit;
    if (bits < 8) continue;
    bits -= 8;
    head.push_back(static_cast<std::byte>(held >> bits & 0xff));
  }
  return head;
}

std::string_view name_of(TextEncoding encoding) {
  constexpr std::string_view kNames[] = {"binary", "base64", "hex"};
  return kNames[static_cast<std::size_t>(encoding)];
}

std::unique_ptr<stream::Source> decoded(std::unique_ptr<stream::Source> source, TextEncoding encoding) {
  if (encoding == TextEncoding::base64) return stream::base64_decoder(std::move(source));
  if (encoding == TextEncoding::hex) return stream::hex_decoder(std::move(source));
  return source;
}

namespace {

Recognised recognise_source(std::unique_ptr<stream::Source> source, std::optional<TextEncoding> encoding,
                            const Codec* only) {
  Recognised result;
  if (encoding) {
    result.encoding = *encoding;
    source = decoded(std::move(source), *encoding);
  }
  const Bytes head = take_head(source);
  result.codecs = askers(head, source->size_bytes(), only);
  for (const TextEncoding text : {TextEncoding::base64, TextEncoding::hex}) {
    if (encoding || !result.codecs.empty()) break;
    result.codecs = askers(decoded_head(head, text), std::nullopt, only);
    if (!result.codecs.empty()) result.encoding = text;
  }
  if (result.codecs.empty()) result.other_program = other_program(head);
  result.source = encoding ? std::move(source) : decoded(std::move(source), result.encoding);
  return result;
}

const Codec* recognise_tree(stream::TreeSource& directory) {
  const stream::TreeListing listing = directory.list({});
  for (const Codec* codec : codecs()) {
    if (codec->tree_head.empty()) continue;
    const auto entry = std::ranges::find(listing.entries, codec->tree_head, &stream::TreeEntry::name);
    if (entry == listing.entries.end()) continue;
    if (entry->problem) throw Error(*entry->problem);
    std::unique_ptr<stream::Source> source = directory.open({std::string(codec->tree_head)});
    const Bytes head = take_head(source);
    if (!askers(head, source->size_bytes(), codec).empty()) return codec;
  }
  if (listing.problem) throw Error(*listing.problem);
  return nullptr;
}

}  // namespace

Recognised recognise(std::unique_ptr<stream::Source> source, std::optional<TextEncoding> encoding,
                     const Codec* only) {
  return with_errors_only([&] { return recognise_source(std::move(source), encoding, only); });
}

const Codec* recognise(stream::TreeSource& directory) {
  return with_errors_only([&] { return recognise_tree(directory); });
}

}  // namespace fugu::format
