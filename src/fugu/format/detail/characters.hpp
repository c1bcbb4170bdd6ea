// Text as other programs store it, taken apart into characters, and written as JSON or CSV. Nothing is kept:
// such text is mostly secret. Private to format.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "fugu/auth/secret.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::format {

enum class Charset : std::uint8_t { utf8, utf16_big, windows_1252 };

using TakeCharacter = std::function<void(char32_t)>;

// A byte that is of no character becomes U+FFFD; half of a surrogate pair is passed on as it is. UTF-16 has
// an even number of bytes.
void for_each_character(std::span<const std::byte> text, Charset charset, const TakeCharacter& take);

// A passphrase in UTF-8 as western systems had it before; empty where that is the same, or cannot be said so.
auth::SecretBytes windows_1252_of(std::span<const std::byte> passphrase);

bool is_utf8(std::span<const std::byte> text);

// Half a surrogate pair is written as U+FFFD.
void write_utf8(stream::Sink& sink, char32_t character);

// JSON (RFC 8259) in ASCII, one space per level, without a line end after it.
class JsonWriter {
 public:
  // `sink` outlives this and is not finished by it.
  explicit JsonWriter(stream::Sink& sink) : sink_(sink) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }

  // The name of the member that is written next.
  void name(std::span<const std::byte> text, Charset charset);
  void name(std::string_view ascii);

  void text(std::span<const std::byte> text, Charset charset);
  void text(std::string_view ascii);
  void base64(std::span<const std::byte> bytes);
  void number(std::uint64_t value);
  void null();

 private:
  void begin(char bracket);
  void end(char bracket);
  void begin_value();
  void begin_line();
  void put(std::string_view text);
  void put_quoted(std::span<const std::byte> text, Charset charset);
  void put_character(char32_t character);

  stream::Sink& sink_;
  std::size_t depth_ = 0;
  bool is_first_ = true;   // nothing stands yet between the brackets that are open
  bool has_name_ = false;  // the member's value comes next
};

// One row of RFC 4180, every field in quotes, but that it ends in a line feed alone.
class CsvRow {
 public:
  explicit CsvRow(stream::Sink& sink) : sink_(sink) {}

  // Calls `fill` with where the field's characters go.
  void field(const std::function<void(const TakeCharacter&)>& fill);
  void end();

 private:
  stream::Sink& sink_;
  bool is_first_ = true;
};

}  // namespace fugu::format
