#include "fugu/format/pwsafe/detail/records.hpp"

#include <algorithm>

#include "fugu/core/block.hpp"
#include "fugu/format/detail/reader.hpp"

namespace fugu::format {
namespace {

using Bytes = std::span<const std::byte>;
using core::kBlockBytes;

constexpr std::string_view kVersion2 = "!!!Version 2 File Format!!!";
constexpr std::byte kSplit{0xad};        // of version 1, between title and user
constexpr std::byte kDefaultUser{0xa0};  // of version 1, at the end of a title: the user is the default one
constexpr std::string_view kDefaultUserText = "(default user)";

Field next_field(Reader& reader) {
  const Bytes header = reader.take(kBlockBytes);
  const std::uint64_t length = load_little(header.first(4));
  const std::uint64_t stored = (length + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  const Bytes bytes = reader.take(std::max<std::uint64_t>(kBlockBytes, stored));
  return {static_cast<FieldType>(header[4]), bytes.first(static_cast<std::size_t>(length))};
}

Bytes trimmed_end(Bytes text) {
  while (!text.empty() && text.back() == std::byte{' '}) text = text.first(text.size() - 1);
  return text;
}

Bytes trimmed_begin(Bytes text) {
  while (!text.empty() && text.front() == std::byte{' '}) text = text.subspan(1);
  return text;
}

void add_title_and_user(Entry& entry, Bytes name) {
  const auto split = static_cast<std::size_t>(std::ranges::find(name, kSplit) - name.begin());
  if (split != name.size()) {
    entry.push_back({FieldType::title, trimmed_end(name.first(split))});
    entry.push_back({FieldType::user, trimmed_begin(name.subspan(split + 1))});
  } else if (!name.empty() && name.back() == kDefaultUser) {
    entry.push_back({FieldType::title, trimmed_end(name.first(name.size() - 1))});
    entry.push_back({FieldType::user, std::as_bytes(std::span(kDefaultUserText))});
  } else {
    entry.push_back({FieldType::title, name});
    entry.push_back({FieldType::user, {}});
  }
}

void add_secrets(Entry& entry, Reader& reader) {
  entry.push_back({FieldType::password, next_field(reader).bytes});
  entry.push_back({FieldType::notes, next_field(reader).bytes});
}

Entry read_version_2_entry(Reader& reader) {
  Entry entry;
  for (Field field = next_field(reader); field.type != FieldType::end; field = next_field(reader))
    entry.push_back(field);
  return entry;
}

}  // namespace

Database read_database(Bytes plaintext) {
  Database database;
  Reader reader(plaintext, "the database ends inside a field");
  while (!reader.at_end()) {
    Entry entry;
    if (database.is_version_2) {
      entry = read_version_2_entry(reader);
    } else {
      const Bytes name = next_field(reader).bytes;
      add_title_and_user(entry, name);
      add_secrets(entry, reader);
      database.is_version_2 = database.entries.empty() && text_of(trimmed_begin(name)).starts_with(kVersion2);
    }
    if (database.is_version_2 && database.version.data() == nullptr) {
      database.version = field_of(entry, FieldType::password);
      database.preferences = field_of(entry, FieldType::notes);
    } else {
      database.entries.push_back(std::move(entry));
    }
  }
  return database;
}

Bytes field_of(const Entry& entry, FieldType type) {
  const auto found = std::ranges::find(entry, type, &Field::type);
  return found == entry.end() ? Bytes() : found->bytes;
}

}  // namespace fugu::format
