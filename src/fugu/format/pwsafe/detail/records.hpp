// The fields of a Password Safe database. Private to pwsafe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fugu/format/detail/characters.hpp"

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
  std::span<const std::byte> preferences;  // of version 2
  std::vector<Entry> entries;
};

// `plaintext` outlives the result. Throws Error{damaged} when a field exceeds it.
Database read_database(std::span<const std::byte> plaintext);

// The first field of the type; empty if the entry has none.
std::span<const std::byte> field_of(const Entry& entry, FieldType type);

// Text is in the code page of the writing Windows system, or in UTF-8 from other programs.
Charset charset_of(std::span<const std::byte> text);

}  // namespace fugu::format
