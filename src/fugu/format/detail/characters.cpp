#include "fugu/format/detail/characters.hpp"

#include <utility>

#include "fugu/format/detail/message.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/hex.hpp"
#include "fugu/stream/memory.hpp"
#include "fugu/stream/utf8.hpp"

namespace fugu::format {
namespace {

using stream::take_utf8;

constexpr char32_t kReplacement = 0xfffd;

// Bytes 80 to 9f of Windows-1252 (WHATWG Encoding Standard, index windows-1252).
constexpr std::array<char16_t, 32> kWindows1252{
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

void each_of_utf8(std::span<const std::byte> text, const TakeCharacter& take) {
  while (!text.empty()) {
    const std::optional<char32_t> character = take_utf8(text);
    if (!character) text = text.subspan(1);
    take(character.value_or(kReplacement));
  }
}

char32_t unit_at(std::span<const std::byte> text, std::size_t at) {
  return static_cast<char32_t>(load_big(text.subspan(at, 2)));
}

void each_of_utf16(std::span<const std::byte> text, const TakeCharacter& take) {
  for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
    char32_t character = unit_at(text, at);
    const bool begins_pair = character >= 0xd800 && character < 0xdc00 && at + 3 < text.size();
    const char32_t low = begins_pair ? unit_at(text, at + 2) : 0;
    if (low >= 0xdc00 && low < 0xe000) {
      character = 0x10000 + ((character - 0xd800) << 10) + (low - 0xdc00);
      at += 2;
    }
    take(character);
  }
}

void each_of_windows_1252(std::span<const std::byte> text, const TakeCharacter& take) {
  for (const std::byte one : text) {
    const auto byte = std::to_integer<std::size_t>(one);
    take(byte >= 0x80 && byte < 0xa0 ? kWindows1252[byte - 0x80] : static_cast<char32_t>(byte));
  }
}

// The byte of the character; empty if that charset lacks it.
std::optional<std::byte> windows_1252_byte(char32_t character) {
  const auto high = std::ranges::find(kWindows1252, character);
  if (high != kWindows1252.end()) return static_cast<std::byte>(0x80 + (high - kWindows1252.begin()));
  const bool is_itself = character < 0x80 || (character >= 0xa0 && character < 0x100);
  return is_itself ? std::optional(static_cast<std::byte>(character)) : std::nullopt;
}

// The same, where a program may also have taken bytes 80 to 9f for Latin-1's.
std::optional<std::byte> stored_byte(char32_t character) {
  return character < 0x100 ? std::optional(static_cast<std::byte>(character)) : windows_1252_byte(character);
}

void write_value(JsonWriter& json, const EntryField& field) {
  if (field.number) return json.number(*field.number);
  field.is_bytes ? json.base64(field.text) : json.text(field.text, charset_of(field.text));
}

void write_json(const std::vector<StoredEntry>& entries, stream::Sink& sink) {
  JsonWriter json(sink, JsonText::utf8);
  json.begin_array();
  for (const StoredEntry& entry : entries) {
    json.begin_object();
    for (const EntryField& field : entry) {
      json.name(field.name);
      write_value(json, field);
    }
    json.end_object();
  }
  json.end_array();
  write_text(sink, "\n");
}

void write_csv(const std::vector<StoredEntry>& entries, const CsvColumns& columns, stream::Sink& sink) {
  write_text(sink, "Group,Title,Username,Password,URL,Notes\n");
  CsvRow row(sink);
  for (const StoredEntry& entry : entries) {
    for (const std::string_view column : columns) {
      row.field([&](const TakeCharacter& take) {
        const auto field = std::ranges::find(entry, column, &EntryField::name);
        if (field != entry.end()) for_each_character(field->text, charset_of(field->text), take);
      });
    }
    row.end();
  }
}

}  // namespace

void for_each_character(std::span<const std::byte> text, Charset charset, const TakeCharacter& take) {
  if (charset == Charset::utf8) return each_of_utf8(text, take);
  if (charset == Charset::utf16_big) return each_of_utf16(text, take);
  each_of_windows_1252(text, take);
}

void for_each_unit(char32_t character, const TakeCharacter& take) {
  if (character < 0x10000) return take(character);
  take(0xd800 + ((character - 0x10000) >> 10));
  take(0xdc00 + ((character - 0x10000) & 0x3ff));
}

auth::SecretBytes windows_1252_of(std::span<const std::byte> passphrase) {
  auth::SecretBytes single(passphrase.size());
  std::size_t bytes = 0;
  bool all_known = is_utf8(passphrase);
  for_each_character(passphrase, Charset::utf8, [&](char32_t character) {
    const std::optional<std::byte> byte = windows_1252_byte(character);
    all_known = all_known && byte;
    if (byte) single.data()[bytes++] = *byte;
  });
  const bool is_same = bytes == passphrase.size();
  return all_known && !is_same ? auth::SecretBytes(std::as_const(single).span().first(bytes))
                               : auth::SecretBytes();
}

bool is_utf8(std::span<const std::byte> text) {
  while (!text.empty()) {
    if (!take_utf8(text)) return false;
  }
  return true;
}

Charset charset_of(std::span<const std::byte> text) {
  return is_utf8(text) ? Charset::utf8 : Charset::windows_1252;
}

bool are_stored_as_utf8(std::span<const std::byte> head) {
  constexpr std::size_t kLeast = 3;  // half of the bytes of a ciphertext block are above 7f
  std::size_t characters = 0, high = 0, lost = 0;
  bool have_bytes = true;
  while (!head.empty()) {
    const std::optional<char32_t> character = take_utf8(head);
    if (!character && head.size() < 4) break;  // a character is cut at the end
    if (!character) return false;
    ++characters;
    if (*character >= 0x80) ++high;
    if (*character == kReplacement) ++lost;
    have_bytes = have_bytes && stored_byte(*character);
  }
  if (lost >= kLeast && 4 * lost >= characters)
    throw Error(
        Errc::damaged,
        "a program read this as UTF-8 and replaced the bytes that are not characters by U+FFFD: they are "
        "lost, and no key opens it; use a copy that was not stored as text");
  return have_bytes && high >= kLeast && 4 * high >= characters;
}

stream::DecodedText bytes_stored_as_utf8(std::string_view text, std::span<std::byte> into) noexcept {
  stream::DecodedText all;
  for (auto rest = bytes_in(text); !rest.empty(); all.at = text.size() - rest.size()) {
    const std::optional<char32_t> character = take_utf8(rest);
    const std::optional<std::byte> byte = character ? stored_byte(*character) : std::nullopt;
    if (!byte) {
      all.fault = "was not stored as UTF-8 like those before it";
      break;
    }
    into[all.bytes++] = *byte;
  }
  return all;
}

void write_text(stream::Sink& sink, std::string_view text) {
  sink.write(bytes_in(text));
}

void write_utf8(stream::Sink& sink, char32_t character) {
  if (stream::is_surrogate(character)) character = kReplacement;
  if (character < 0x80) {
    const char ascii = static_cast<char>(character);
    return write_text(sink, {&ascii, 1});
  }
  const std::size_t more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  std::array<std::byte, 4> bytes{};
  for (std::size_t i = more; i != 0; --i, character >>= 6)
    bytes[i] = static_cast<std::byte>(0x80 | (character & 0x3f));
  bytes[0] = static_cast<std::byte>((0xf0U << (3 - more) & 0xff) | character);
  sink.write(std::span(bytes).first(more + 1));
}

void JsonWriter::name(std::span<const std::byte> text, Charset charset) {
  begin_value();
  put_quoted(text, charset);
  put(": ");
  has_name_ = true;
}

void JsonWriter::text(std::span<const std::byte> text, Charset charset) {
  begin_value();
  put_quoted(text, charset);
}

void JsonWriter::base64(std::span<const std::byte> bytes) {
  begin_value();
  put("\"");
  const auto encoder = stream::base64_encoder(sink_, stream::TextLines::single);
  encoder->write(bytes);
  encoder->finish();
  put("\"");
}

void JsonWriter::value(std::string_view text) {
  begin_value();
  put(text);
}

void JsonWriter::begin(char bracket) {
  begin_value();
  put({&bracket, 1});
  ++depth_;
  is_first_ = true;
}

void JsonWriter::end(char bracket) {
  --depth_;
  if (!is_first_) begin_line();
  put({&bracket, 1});
  is_first_ = false;
}

void JsonWriter::begin_value() {
  if (!has_name_ && depth_ != 0) {
    if (!is_first_) put(",");
    begin_line();
  }
  has_name_ = false;
  is_first_ = false;
}

void JsonWriter::begin_line() {
  put("\n");
  for (std::size_t i = 0; i < depth_; ++i) put(" ");
}

void JsonWriter::put_quoted(std::span<const std::byte> text, Charset charset) {
  put("\"");
  for_each_character(text, charset, [this](char32_t character) { put_character(character); });
  put("\"");
}

void JsonWriter::put_character(char32_t character) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  const auto put_unit = [this](char32_t unit) {
    const std::array bytes{static_cast<std::byte>(unit >> 8), static_cast<std::byte>(unit)};
    std::array<char, 6> text{'\\', 'u'};
    stream::encode_hex(bytes, text.data() + 2);
    put({text.data(), text.size()});
  };
  if (character < 0x80) {
    const char ascii = static_cast<char>(character);
    const std::size_t at = kEscaped.find(ascii);
    if (at != std::string_view::npos) return put({std::array{'\\', kLetters[at]}.data(), 2});
    if (character >= 0x20 && character != 0x7f) return put({&ascii, 1});
  }
  if (text_ == JsonText::utf8 && character > 0x7f) return write_utf8(sink_, character);
  for_each_unit(character, put_unit);
}

void CsvRow::field(const std::function<void(const TakeCharacter&)>& fill) {
  write_text(sink_, is_first_ ? "\"" : ",\"");
  is_first_ = false;
  fill([this](char32_t character) {
    if (character == '"') write_text(sink_, "\"");
    write_utf8(sink_, character);
  });
  write_text(sink_, "\"");
}

void CsvRow::end() {
  write_text(sink_, "\n");
  is_first_ = true;
}

Latin1 to_latin1(std::span<const std::byte> utf8) {
  auth::SecretBytes bytes(utf8.size());
  std::size_t size = 0;
  bool whole = true;
  while (whole && !utf8.empty()) {
    const std::optional<char32_t> character = take_utf8(utf8);
    whole = character && *character <= 0xff;
    if (whole) bytes.data()[size++] = static_cast<std::byte>(*character);
  }
  return {auth::SecretBytes(std::as_const(bytes).span().first(size)), whole};
}

void write_entries(const Job& job, const std::vector<StoredEntry>& entries, bool as_csv,
                   const CsvColumns& columns) {
  stream::MemorySink text;
  as_csv ? write_csv(entries, columns, text) : write_json(entries, text);
  write_counted(job, text.bytes());
}

}  // namespace fugu::format
