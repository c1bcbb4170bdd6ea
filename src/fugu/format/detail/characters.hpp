// Splits text of other programs into characters, and writes it as JSON or CSV; the entries of a password
// store in both. Text is not kept: it is mostly secret. Private to format.
#pragma once

#include <array>
#include <functional>

#include "fugu/auth/secret.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/format/job.hpp"
#include "fugu/format/option.hpp"
#include "fugu/stream/sink.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::format {

enum class Charset : std::uint8_t { utf8, utf16_big, windows_1252 };

using TakeCharacter = std::function<void(char32_t)>;

// A byte that belongs to no character becomes U+FFFD; half of a surrogate pair is passed on unchanged. UTF-16
// has an even number of bytes.
void for_each_character(std::span<const std::byte> text, Charset charset, const TakeCharacter& take);

// Calls `take` with the UTF-16 of the character: one unit, or a surrogate pair.
void for_each_unit(char32_t character, const TakeCharacter& take);

// A UTF-8 passphrase in the older charset of western systems; empty if that is identical or does not exist.
auth::SecretBytes windows_1252_of(std::span<const std::byte> passphrase);

bool is_utf8(std::span<const std::byte> text);

// utf8 for valid UTF-8, otherwise windows_1252, the code page of western Windows systems.
Charset charset_of(std::span<const std::byte> text);

// Whether this is the beginning of bytes that were taken for text in Latin-1 or Windows-1252 and stored in
// UTF-8. Throws Error{damaged} where they were taken for UTF-8, which lost some.
bool are_stored_as_utf8(std::span<const std::byte> head);

// These bytes, or the fault where a character is none of them.
stream::DecodedText bytes_stored_as_utf8(std::string_view text, std::span<std::byte> into) noexcept;

void write_text(stream::Sink& sink, std::string_view text);

// Half a surrogate pair is written as U+FFFD.
void write_utf8(stream::Sink& sink, char32_t character);

enum class JsonText : std::uint8_t { ascii, utf8 };

// JSON (RFC 8259), indented by one space per level, without a final line end.
class JsonWriter {
 public:
  // `sink` outlives this, which does not finish it.
  explicit JsonWriter(stream::Sink& sink, JsonText text = JsonText::ascii) : sink_(sink), text_(text) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }

  // The name of the next member.
  void name(std::span<const std::byte> text, Charset charset);
  void name(std::string_view ascii) { name(std::as_bytes(std::span(ascii)), Charset::utf8); }

  void text(std::span<const std::byte> text, Charset charset);
  void text(std::string_view ascii) { text(std::as_bytes(std::span(ascii)), Charset::utf8); }
  void base64(std::span<const std::byte> bytes);
  void number(std::uint64_t number) { value(std::to_string(number)); }
  void null() { value("null"); }

 private:
  void begin(char bracket);
  void end(char bracket);
  void begin_value();
  void value(std::string_view text);
  void begin_line();
  void put(std::string_view text) { write_text(sink_, text); }
  void put_quoted(std::span<const std::byte> text, Charset charset);
  void put_character(char32_t character);

  stream::Sink& sink_;
  JsonText text_;
  std::size_t depth_ = 0;
  bool is_first_ = true;   // nothing written yet inside the open brackets
  bool has_name_ = false;  // the member's value comes next
};

// One row of RFC 4180 with every field in quotes, except that it ends in a line feed alone.
class CsvRow {
 public:
  explicit CsvRow(stream::Sink& sink) : sink_(sink) {}

  // Calls `fill` with a function that takes the field's characters.
  void field(const std::function<void(const TakeCharacter&)>& fill);
  void end();

 private:
  stream::Sink& sink_;
  bool is_first_ = true;
};

// A passphrase in Latin-1, for programs that use it.
struct Latin1 {
  auth::SecretBytes bytes;
  bool whole = false;  // every character of the text has a byte
};

// Converts UTF-8 text to one byte per character, up to the first character above 255.
Latin1 to_latin1(std::span<const std::byte> utf8);

// The option of what to write.
constexpr OptionRow form_row(std::span<const std::string_view> forms, std::string_view help) {
  return marked(word_option("to FORM", forms, help, OptionUse::open), &OptionRow::by_format);
}

inline constexpr std::array<std::string_view, 2> kEntriesForms{"json", "csv"};
inline constexpr OptionRow kEntriesForm =
    form_row(kEntriesForms, "What to write: json (the default) or csv, which password managers import.");

struct EntryField {
  std::string_view name;
  core::WipedBytes text;
  std::optional<std::uint64_t> number = {};  // instead of text
  bool is_bytes = false;                     // written in base64
};

using StoredEntry = std::vector<EntryField>;

// The names of the fields for the columns Group, Title, Username, Password, URL and Notes.
using CsvColumns = std::array<std::string_view, 6>;

// Text is UTF-8, or Latin-1 where it is not valid UTF-8. JSON: an array of objects and a line feed. CSV: for
// KeePassXC, and for Bitwarden as "KeePassX (csv)".
void write_entries(const Job& job, const std::vector<StoredEntry>& entries, bool as_csv,
                   const CsvColumns& columns);

}  // namespace fugu::format
