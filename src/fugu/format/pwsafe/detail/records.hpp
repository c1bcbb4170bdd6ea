// The fields of a Password Safe database, and its exports for other programs. Private to pwsafe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fugu/format/detail/characters.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::format {

// Type codes of version 2. Version 1 has none: an entry is title and user, password, notes.
enum class FieldType : std::uint8_t {
  uuid = 1,
  group = 2,
  title = 3,
  user = 4,
  notes = 5,
  password = 6,
  created = 7,
  password_changed = 8,
  accessed = 9,
  lifetime = 10,
  policy = 11,
  changed = 12,
  end = 0xff,
};

struct Field {
  FieldType type = FieldType::end;
  std::span<const std::byte> bytes;
};

using Entry = std::vector<Field>;

struct Database {
  bool is_version_2 = false;
  std::span<const std::byte> version;      // of version 2: "2.0"
  std::span<const std::byte> preferences;  // version 2 only
  std::vector<Entry> entries;
};

// The first field of the type; empty if the entry has none.
inline std::span<const std::byte> field_of(const Entry& entry, FieldType type) {
  const auto found = std::ranges::find(entry, type, &Field::type);
  return found == entry.end() ? std::span<const std::byte>() : found->bytes;
}

// Writes an object with the version and a list of entries, each an object of its fields.
void write_json(const Database& database, stream::Sink& sink);

// A table that three programs import:
// - Bitwarden as "KeePassX (csv)" and KeePassXC by the names Group, Title, Username, Password, URL and Notes
//   (bitwarden/clients, keepassx-csv-importer.ts); their groups have slashes where Password Safe's have dots.
// - Password Safe as plain text with the field separator "," by the names Group/Title, Username, Password,
//   URL and Notes (pwsafe/pwsafe, src/core/CoreImpExp.cpp, ImportPlaintextFile): names are
//   unquoted, a line feed alone ends a row, a row is no shorter than the header, Notes come last and may have
//   several lines, and a dot in a title is U+00BB. Later versions take Title too, and the group from the last
//   of Group and Folder. It does not support commas or quotes inside a field.
// The URL is the first that the notes hold, as Password Safe finds it; the notes keep it.
void write_csv(const Database& database, stream::Sink& sink);

// Notes for people on entries of that table which the programs leave out or change.
std::vector<std::string> csv_notes(const Database& database);

}  // namespace fugu::format
