// Recognises inputs: reads their beginning once and returns it again to later readers.
#include "fugu/format/recognition.hpp"

#include "fugu/format/detail/beginnings.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/dress.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::format {
namespace {

using Bytes = std::vector<std::byte>;

// The most text that kRecogniseBytes take: two digits per byte, and the ends of short lines.
constexpr std::size_t kHeadBytes = 3 * kRecogniseBytes;

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

Bytes take_head(std::unique_ptr<stream::Source>& source) {
  Bytes head(kHeadBytes);
  head.resize(source->read(head));
  source = stream::prepend(head, std::move(source));
  return head;
}

// The digits of one block: shorter text cannot be distinguished from bytes.
constexpr std::size_t kMinHexDigits = 16;
constexpr std::size_t kMinBase64Digits = 11;

// What stands before, after and between hexadecimal digits in the spellings of programming languages.
constexpr std::string_view kAroundHex = "\\xX:,-;'\"{}[]()";

bool has_digits(TextEncoding encoding) {
  return encoding == TextEncoding::base64 || encoding == TextEncoding::hex;
}

// Null for what the encoding's own decoder reads.
const stream::Dress* dress_of(std::string_view text, TextEncoding encoding) {
  if (!has_digits(encoding)) return nullptr;
  return stream::dress_of(text, encoding == TextEncoding::hex ? stream::Digits::hex : stream::Digits::base64);
}

std::size_t digits_in(std::string_view text, TextEncoding encoding) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [&](char c) {
    return (encoding == TextEncoding::hex ? stream::hex_digit(c) : stream::base64_digit(c)) >= 0;
  }));
}

bool is_hex(std::string_view text) {
  return digits_in(text, TextEncoding::hex) >= kMinHexDigits && std::ranges::all_of(text, [](char c) {
           return is_space(c) || stream::hex_digit(c) >= 0 || kAroundHex.find(c) != std::string_view::npos;
         });
}

bool is_base64(std::string_view text) {
  while (!text.empty() && (is_space(text.back()) || text.back() == '=')) text.remove_suffix(1);
  return digits_in(text, TextEncoding::base64) >= kMinBase64Digits && std::ranges::all_of(text, [](char c) {
           return c == '\n' || c == '\r' || stream::base64_digit(c) >= 0;
         });
}

// The last sector of a disk, for what is written there; empty where it cannot be read.
Bytes last_sector(stream::Source& source) {
  constexpr std::size_t kSectorBytes = 512;
  Bytes sector(kSectorBytes);
  const std::uint64_t size = source.size_bytes().value_or(0);
  return size > kHeadBytes && source.read_at(sector, size - kSectorBytes) ? sector : Bytes();
}

std::string_view long_name(TextEncoding encoding) {
  return encoding == TextEncoding::hex ? "hexadecimal" : name_of(encoding);
}

// "base64 text, 8 bytes decoded, a multiple of 8". Of text longer than the head only the encoding.
std::string what_it_is(std::string_view head, std::optional<std::uint64_t> size_bytes) {
  const bool is_whole = head.size() < kHeadBytes;
  const stream::Dress* const dress = dress_of(head, TextEncoding::hex);
  if (dress != nullptr && dress->tells_itself) {
    Bytes bytes(head.size() + core::kBlockBytes);
    const std::string name(dress->name);
    return is_whole ? name + ", " + std::to_string(dress->read(head, bytes).bytes) + " bytes decoded" : name;
  }
  const TextEncoding encoding = encoding_of(head);
  std::string text;
  std::optional<std::uint64_t> bytes = is_whole ? head.size() : size_bytes;
  if (encoding != TextEncoding::binary) {
    text = std::string(long_name(encoding)) + " text";
    if (!is_whole) return text;
    bytes = digits_in(head, encoding) * (encoding == TextEncoding::hex ? 4 : 6) / 8;
    text += ", ";
  }
  if (!bytes) return text;
  text += std::to_string(*bytes) + (encoding == TextEncoding::binary ? " bytes" : " bytes decoded");
  return text + (*bytes % 8 == 0 ? ", a multiple of 8" : ", not a multiple of 8");
}

// Of text that the codec would take for the bytes of a file without a header: throws for digits alone.
TextEncoding encoding_for(std::string_view head, const Codec& codec) {
  if (codec.is_text || !has_files_without_header(codec)) return TextEncoding::binary;
  const stream::Dress* const dress = dress_of(head, TextEncoding::hex);
  if (dress != nullptr && dress->tells_itself) return TextEncoding::hex;
  const TextEncoding encoding = encoding_of(head);
  if (encoding == TextEncoding::binary) return encoding;
  throw Error(Errc::unknown_format, "this is " + std::string(long_name(encoding)) + " text: give " +
                                        (encoding == TextEncoding::hex ? "⟦hex⟧" : "⟦a⟧"));
}

std::vector<const Codec*> askers(std::span<const std::byte> head, std::optional<std::uint64_t> size_bytes,
                                 const Codec* only) {
  head = first_of(head, kRecogniseBytes);
  if (only == nullptr) return recognise(head, size_bytes);
  const bool yes = only->recognise != nullptr && only->recognise(head, size_bytes) != Recognition::no;
  return yes ? std::vector{only} : std::vector<const Codec*>{};
}

}  // namespace

TextEncoding encoding_of(std::string_view text) {
  const std::string_view head = text.substr(0, kHeadBytes);
  if (is_hex(head)) return TextEncoding::hex;
  return is_base64(head) ? TextEncoding::base64 : TextEncoding::binary;
}

std::vector<std::byte> decoded_head(std::span<const std::byte> text, TextEncoding encoding) {
  std::string_view characters(reinterpret_cast<const char*>(text.data()), text.size());
  if (characters.starts_with(kByteOrderMark)) characters.remove_prefix(kByteOrderMark.size());
  Bytes head(text.size() + 8);
  head.resize(std::min(decode_text(characters, encoding, head).bytes, kRecogniseBytes));
  return head;
}

std::string_view name_of(TextEncoding encoding) {
  constexpr std::string_view kNames[] = {"binary", "base64", "hex", "signed-hex", "stored-as-utf8"};
  return kNames[static_cast<std::size_t>(encoding)];
}

std::unique_ptr<stream::Source> without_mark(std::unique_ptr<stream::Source> source) {
  Bytes mark(kByteOrderMark.size());
  mark.resize(source->read(mark));
  const bool is_mark = std::ranges::equal(mark, bytes_in(kByteOrderMark));
  return is_mark ? std::move(source) : stream::prepend(mark, std::move(source));
}

std::unique_ptr<stream::Source> decoded(std::unique_ptr<stream::Source> source, TextEncoding encoding) {
  if (encoding == TextEncoding::stored_as_utf8)
    return stream::whole_decoder(std::move(source), bytes_stored_as_utf8);
  if (encoding != TextEncoding::binary) source = without_mark(std::move(source));
  if (has_digits(encoding)) {
    const Bytes head = take_head(source);
    if (const auto* dress = dress_of(text_of(head), encoding))
      return stream::whole_decoder(std::move(source), dress->read);
  }
  if (encoding == TextEncoding::base64) return stream::base64_decoder(std::move(source));
  if (encoding == TextEncoding::hex) return stream::hex_decoder(std::move(source));
  if (encoding == TextEncoding::signed_hex) return stream::signed_hex_decoder(std::move(source));
  return source;
}

stream::DecodedText decode_text(std::string_view text, TextEncoding encoding,
                                std::span<std::byte> into) noexcept {
  if (const auto* dress = dress_of(text, encoding)) return dress->read(text, into);
  if (encoding == TextEncoding::base64) return stream::decode_base64(text, into);
  if (encoding == TextEncoding::hex) return stream::decode_hex(text, into);
  if (encoding == TextEncoding::signed_hex) return stream::decode_signed_hex(text, into);
  std::ranges::copy(bytes_in(text), into.begin());
  return {.bytes = text.size(), .at = text.size()};
}

bool is_dressed(std::string_view text, TextEncoding encoding, bool ends) {
  const stream::Dress* const dress = dress_of(text, encoding);
  std::vector<std::byte> bytes(text.size() + core::kBlockBytes);
  return dress != nullptr && (!ends || dress->read(text, bytes));
}

Recognised recognise(std::unique_ptr<stream::Source> source, std::optional<TextEncoding> encoding,
                     const Codec* only) {
  Recognised result;
  if (encoding) {
    result.encoding = *encoding;
    source = decoded(std::move(source), *encoding);
  }
  Bytes head = take_head(source);
  result.codecs = askers(head, source->size_bytes(), only);
  const bool is_text = only != nullptr ? only->is_text : std::ranges::any_of(result.codecs, &Codec::is_text);
  if (!encoding && !is_text && are_stored_as_utf8(head)) {
    encoding = result.encoding = TextEncoding::stored_as_utf8;
    source = decoded(std::move(source), *encoding);
    head = take_head(source);
    result.codecs = askers(head, std::nullopt, only);
  }
  for (const TextEncoding text : {TextEncoding::base64, TextEncoding::hex}) {
    if (encoding || !result.codecs.empty()) break;
    result.codecs = askers(decoded_head(head, text), std::nullopt, only);
    if (!result.codecs.empty()) result.encoding = text;
  }
  if (result.codecs.empty()) {
    std::string_view text = text_of(head);
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (only != nullptr && !encoding) result.encoding = encoding_for(text, *only);
    result.other_program = other_program(head, last_sector(*source));
    result.looks = what_it_is(text, source->size_bytes());
    result.head = std::move(head);
  }
  result.source = encoding ? std::move(source) : decoded(std::move(source), result.encoding);
  return result;
}

std::unique_ptr<stream::Source> open_tree_head(stream::TreeSource& directory, const Codec& codec) {
  const stream::TreeListing listing = directory.list({});
  for (const std::string_view head : codec.tree_heads) {
    const auto entry = std::ranges::find(listing.entries, head, &stream::TreeEntry::name);
    if (entry == listing.entries.end()) continue;
    if (entry->problem) throw Error(*entry->problem);
    return directory.open({entry->name});
  }
  if (listing.problem) throw Error(*listing.problem);
  return nullptr;
}

const Codec* recognise(stream::TreeSource& directory) {
  for (const Codec* codec : codecs()) {
    if (codec->tree_heads.empty()) continue;
    std::unique_ptr<stream::Source> source = open_tree_head(directory, *codec);
    if (source == nullptr) continue;
    const Bytes head = take_head(source);
    if (!askers(head, source->size_bytes(), codec).empty()) return codec;
  }
  return nullptr;
}

}  // namespace fugu::format
