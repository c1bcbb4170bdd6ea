#include "fugu/format/detail/entries.hpp"

#include <algorithm>

#include "fugu/format/detail/characters.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

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

void write_entries(const Job& job, const std::vector<StoredEntry>& entries, bool as_csv,
                   const CsvColumns& columns) {
  stream::MemorySink text;
  as_csv ? write_csv(entries, columns, text) : write_json(entries, text);
  write_counted(job, text.bytes());
}

}  // namespace fugu::format
