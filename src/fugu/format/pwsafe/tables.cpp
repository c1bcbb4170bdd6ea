// A database as JSON, and as a table.
#include <algorithm>
#include <string>

#include "fugu/format/detail/message.hpp"
#include "fugu/format/option.hpp"
#include "fugu/format/pwsafe/detail/records.hpp"

namespace fugu::format {
namespace {

using Bytes = std::span<const std::byte>;

constexpr char32_t kDotInTitle = 0xbb;  // as in Password Safe's own exports

struct FieldName {
  FieldType type;
  std::string_view name;
};
constexpr FieldName kNames[] = {
    {FieldType::uuid, "uuid"},         {FieldType::group, "group"},
    {FieldType::title, "title"},       {FieldType::user, "user"},
    {FieldType::notes, "notes"},       {FieldType::password, "password"},
    {FieldType::created, "created"},   {FieldType::password_changed, "password_changed"},
    {FieldType::accessed, "accessed"}, {FieldType::lifetime, "lifetime"},
    {FieldType::policy, "policy"},     {FieldType::changed, "changed"},
};

bool is_text(FieldType type) {
  return type >= FieldType::group && type <= FieldType::password;
}

bool is_number(FieldType type) {
  return type >= FieldType::created && type <= FieldType::changed && type != FieldType::policy;
}

std::string name_of(FieldType type) {
  const auto known = std::ranges::find(kNames, type, &FieldName::type);
  if (known != std::end(kNames)) return std::string(known->name);
  return "field_" + std::to_string(static_cast<unsigned>(type));
}

void write_field(JsonWriter& json, const Field& field) {
  json.name(name_of(field.type));
  if (is_text(field.type)) {
    json.text(field.bytes, charset_of(field.bytes));
  } else if (is_number(field.type) && field.bytes.size() == 4) {
    json.number(load_little(field.bytes));
  } else {
    json.text(hex_text(field.bytes));
  }
}

// The first "http://", "https://" or "ftp://", in this order, up to white space.
Bytes url_in(Bytes notes) {
  for (const std::string_view scheme : {"http://", "https://", "ftp://"}) {
    const std::size_t begin = text_of(notes).find(scheme);
    if (begin == std::string_view::npos) continue;
    const Bytes url = notes.subspan(begin);
    return url.first(std::min(url.size(), text_of(url).find_first_of(" \t\r\n")));
  }
  return {};
}

// The characters of `text` with `from` replaced by `to`.
void replaced(Bytes text, char32_t from, char32_t to, const TakeCharacter& take) {
  for_each_character(text, charset_of(text),
                     [&](char32_t character) { take(character == from ? to : character); });
}

void write_row(CsvRow& row, const Entry& entry) {
  const auto add = [&](Bytes text) {
    row.field([&](const TakeCharacter& take) { for_each_character(text, charset_of(text), take); });
  };
  const Bytes group = field_of(entry, FieldType::group);
  const Bytes title = field_of(entry, FieldType::title);
  const Bytes notes = field_of(entry, FieldType::notes);
  row.field([&](const TakeCharacter& take) { replaced(group, '.', '/', take); });
  add(title);
  add(field_of(entry, FieldType::user));
  add(field_of(entry, FieldType::password));
  add(url_in(notes));
  row.field([&](const TakeCharacter& take) {
    for_each_character(group, charset_of(group), take);
    if (!group.empty()) take('.');
    replaced(title, '.', kDotInTitle, take);
  });
  add(group);
  add(notes);
  row.end();
}

// What a row holds; its other columns are made of these.
constexpr FieldType kColumns[] = {FieldType::group, FieldType::title, FieldType::user, FieldType::password,
                                  FieldType::notes};

// Bitwarden leaves out entries without a title, Password Safe also those without a password.
bool is_left_out(const Entry& entry) {
  return field_of(entry, FieldType::title).empty() || field_of(entry, FieldType::password).empty();
}

// Password Safe takes a comma for a field's end even inside quotes, and keeps quotes as written.
bool is_misread(const Entry& entry) {
  return std::ranges::any_of(kColumns, [&](FieldType type) {
    return text_of(field_of(entry, type)).find_first_of(",\"") != std::string_view::npos;
  });
}

// Spreadsheets take such a field for a formula, which may start a program.
bool is_formula(const Entry& entry) {
  return std::ranges::any_of(kColumns, [&](FieldType type) {
    const std::string_view text = text_of(field_of(entry, type));
    return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  });
}

}  // namespace

void write_json(const Database& database, stream::Sink& sink) {
  JsonWriter json(sink);
  json.begin_object();
  json.name("version");
  if (database.is_version_2) {
    json.text(database.version, charset_of(database.version));
    json.name("prefs");
    json.text(database.preferences, charset_of(database.preferences));
  } else {
    json.number(1);
  }
  json.name("entries");
  json.begin_array();
  for (const Entry& entry : database.entries) {
    json.begin_object();
    for (const Field& field : entry) write_field(json, field);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_csv(const Database& database, stream::Sink& sink) {
  write_text(sink, "Group,Title,Username,Password,URL,Group/Title,Folder,Notes\n");
  CsvRow row(sink);
  for (const Entry& entry : database.entries) write_row(row, entry);
}

std::vector<std::string> csv_notes(const Database& database) {
  std::vector<std::string> notes;
  const auto add = [&](const std::string& what, std::ptrdiff_t entries, const std::string& follows) {
    if (entries > 0)
      notes.push_back(what + ": " + std::to_string(entries) + " of " +
                      std::to_string(database.entries.size()) + "; " + follows);
  };
  add("entries without a title or a password", std::ranges::count_if(database.entries, is_left_out),
      "Bitwarden or Password Safe will skip them");
  add("entries with a comma or a quote", std::ranges::count_if(database.entries, is_misread),
      "Password Safe will misread them");
  add("entries with a field that begins with = + - @, a tab or a carriage return",
      std::ranges::count_if(database.entries, is_formula),
      "do not open this in a spreadsheet, which may run it");
  return notes;
}

}  // namespace fugu::format
