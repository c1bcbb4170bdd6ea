// Databases of Password Safe 1 and 2 (docs/formatV1.txt and formatV2.txt of pwsafe/pwsafe).
//
//   RND 8 | H(RND) 20 | salt 20 | iv 8 | CBC ciphertext under the key SHA-1(passphrase | salt)
//
// The cipher's words are little-endian. H(RND) proves the passphrase. The plaintext is a sequence of fields:
// a block of { length, u32 little-endian | type | 3 random bytes }, then the field's bytes in one block or
// more. There is no magic, so such files cannot be recognised.
#include "fugu/format/detail/codecs.hpp"

#include "fugu/auth/digest.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/digests.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

using Bytes = std::span<const std::byte>;

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
std::span<const std::byte> field_of(const Entry& entry, FieldType type) {
  const auto found = std::ranges::find(entry, type, &Field::type);
  return found == entry.end() ? std::span<const std::byte>() : found->bytes;
}

constexpr char32_t kDotInTitle = 0xbb;  // as in Password Safe's own exports

// Of the types from uuid on.
constexpr std::string_view kNames[] = {"uuid",     "group",    "title",   "user",
                                       "notes",    "password", "created", "password_changed",
                                       "accessed", "lifetime", "policy",  "changed"};

bool is_text(FieldType type) {
  return type >= FieldType::group && type <= FieldType::password;
}

bool is_number(FieldType type) {
  return type >= FieldType::created && type <= FieldType::changed && type != FieldType::policy;
}

std::string name_of(FieldType type) {
  const auto number = static_cast<unsigned>(type);
  const bool is_known = number >= 1 && number <= std::size(kNames);
  return is_known ? std::string(kNames[number - 1]) : "field_" + std::to_string(number);
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
    return first_of(url, text_of(url).find_first_of(" \t\r\n"));
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

// Writes an object with the version and a list of entries, each an object of its fields.
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

// A table that three programs import:
// - Bitwarden as "KeePassX (csv)" and KeePassXC by the names Group, Title, Username, Password, URL and Notes
//   (bitwarden/clients, keepassx-csv-importer.ts); their groups have slashes where Password Safe's have dots.
// - Password Safe as plain text with the field separator "," by the names Group/Title, Username, Password,
//   URL and Notes (pwsafe/pwsafe, src/core/CoreImpExp.cpp, ImportPlaintextFile): names are
//   unquoted, a line feed alone ends a row, a row is no shorter than the header, Notes come last and may have
//   several lines, and a dot in a title is U+00BB. Later versions take Title too, and the group from the last
//   of Group and Folder. It does not support commas or quotes inside a field.
// The URL is the first that the notes hold, as Password Safe finds it; the notes keep it.
void write_csv(const Database& database, stream::Sink& sink) {
  write_text(sink, "Group,Title,Username,Password,URL,Group/Title,Folder,Notes\n");
  CsvRow row(sink);
  for (const Entry& entry : database.entries) write_row(row, entry);
}

// Notes for people on entries of that table which the programs leave out or change.
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

constexpr std::size_t kProbeBytes = kBlockBytes;
constexpr std::size_t kHashBytes = sizeof(Sha1Digest);
constexpr std::size_t kSaltBytes = 20;
constexpr std::size_t kHeaderBytes = kProbeBytes + kHashBytes + kSaltBytes + kBlockBytes;
constexpr std::size_t kRounds = 1000;
constexpr std::array kTwoZeros{std::byte{0}, std::byte{0}};

constexpr std::array kOptions{kEntriesForm};

constexpr std::string_view kVersion2 = "!!!Version 2 File Format!!!";
constexpr std::byte kSplit{0xad};        // of version 1, between title and user
constexpr std::byte kDefaultUser{0xa0};  // ends a title of version 1: the user is the default one
constexpr std::string_view kDefaultUserText = "(default user)";

struct Header {
  std::vector<std::byte> probe;
  std::vector<std::byte> hash;
  std::vector<std::byte> salt;
  std::vector<std::byte> iv;
};

Header read_header(Lookahead& source) {
  return {.probe = source.take(kProbeBytes, "its header"),
          .hash = source.take(kHashBytes, "its header"),
          .salt = source.take(kSaltBytes, "its header"),
          .iv = source.take(kBlockBytes, "its header")};
}

void run(engine::Engine& engine, Bytes key, Bytes iv, Direction direction, std::span<std::byte> message) {
  transform(engine, key, {.iv = iv_of(iv), .words = core::ByteOrder::little}, direction, message);
}

// Whether the passphrase gives H(RND). The 1000 encryptions of RND are CBC of as many blocks of zeros, with
// RND as the IV.
bool fits(engine::Engine& engine, const Header& header, Bytes passphrase) {
  const auth::SecretBytes key = auth::digest("sha1", {header.probe, kTwoZeros, passphrase});
  core::WipedBytes rounds(kRounds * kBlockBytes);
  run(engine, key.span(), header.probe, Direction::encrypt, rounds);
  core::WipedBytes last(rounds.end() - kBlockBytes, rounds.end());
  last.resize(kBlockBytes + kTwoZeros.size());
  return std::ranges::equal(sha1_variant(last, {.zero_state = true}), header.hash);
}

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
    entry.push_back({FieldType::user, bytes_in(kDefaultUserText)});
  } else {
    entry.push_back({FieldType::title, name});
    entry.push_back({FieldType::user, {}});
  }
}

Entry read_version_2_entry(Reader& reader) {
  Entry entry;
  for (Field field = next_field(reader); field.type != FieldType::end; field = next_field(reader))
    entry.push_back(field);
  return entry;
}

// Adds the entries to `database`, which `plaintext` outlives. Throws Error{damaged} when a field exceeds it.
void read_database(Bytes plaintext, Database& database) {
  Reader reader(plaintext, "the database ends inside a field");
  while (!reader.at_end()) {
    Entry entry;
    if (database.is_version_2) {
      entry = read_version_2_entry(reader);
    } else {
      const Bytes name = next_field(reader).bytes;
      add_title_and_user(entry, name);
      for (const FieldType type : {FieldType::password, FieldType::notes})
        entry.push_back({type, next_field(reader).bytes});
      database.is_version_2 = database.entries.empty() && text_of(trimmed_begin(name)).starts_with(kVersion2);
    }
    if (database.is_version_2 && database.version.data() == nullptr) {
      database.version = field_of(entry, FieldType::password);
      database.preferences = field_of(entry, FieldType::notes);
    } else {
      database.entries.push_back(std::move(entry));
    }
  }
}

core::WipedBytes plaintext_of(engine::Engine& engine, const Header& header, Bytes passphrase,
                              Bytes ciphertext) {
  const auth::SecretBytes key = auth::digest("sha1", {passphrase, header.salt});
  core::WipedBytes plaintext(ciphertext.begin(), ciphertext.end());
  run(engine, key.span(), header.iv, Direction::decrypt, plaintext);
  return plaintext;
}

bool is_database(Bytes plaintext) {
  try {
    Database database;
    read_database(plaintext, database);
    return database.is_version_2 || !database.entries.empty();
  } catch (const Error&) {
    return false;
  }
}

// By the passphrase in the charset in which the database was written. Where the hash of neither fits, the
// database may show that the hash is damaged.
core::WipedBytes decrypted(const Job& job, const Header& header, const auth::SecretBytes& passphrase,
                           Bytes ciphertext) {
  const auth::SecretBytes other = windows_1252_of(passphrase.span());
  std::vector<Bytes> texts{passphrase.span()};
  if (!other.empty()) texts.push_back(other.span());
  for (const Bytes text : texts)
    if (fits(job.engine, header, text)) return plaintext_of(job.engine, header, text, ciphertext);
  for (const Bytes text : texts) {
    core::WipedBytes plaintext = plaintext_of(job.engine, header, text, ciphertext);
    if (!is_database(plaintext)) continue;
    holds(job, false, "the hash of the passphrase in the header is damaged");
    return plaintext;
  }
  throw Error(Errc::wrong_key, "wrong passphrase, or not a Password Safe 1 or 2 database");
}

void write(const Job& job, const OptionValues& options, const Database& database) {
  stream::MemorySink text;
  options.text("to") == "csv" ? write_csv(database, text) : write_json(database, text);
  write_whole(job, text.bytes());
}

Opened open_pwsafe(const Job& job, const OpenRequest& request) {
  Lookahead source(job.source);
  const Header header = read_header(source);
  const core::WipedBytes ciphertext = take_all(source, "a Password Safe database");
  const std::size_t blocks = ciphertext.size() / kBlockBytes;
  holds(job, ciphertext.size() == blocks * kBlockBytes,
        "not a whole Password Safe database, by its length: truncated, or another file");
  count_read(job, kHeaderBytes + ciphertext.size());
  const core::WipedBytes plaintext = decrypted(job, header, request.secret(SecretKind::passphrase),
                                               Bytes(ciphertext).first(blocks * kBlockBytes));
  Database database;
  holds(job, [&] { read_database(plaintext, database); });
  write(job, request.options, database);
  Opened opened = proved(std::string("Password Safe ") + (database.is_version_2 ? "2" : "1"));
  const bool is_table = request.options.text("to") == "csv";
  opened.all_content = !is_table;  // it has no place for every field
  if (is_table) opened.notes = csv_notes(database);
  return opened;
}

Description describe_pwsafe(stream::Source& input, const OptionValues&) {
  Lookahead source(input);
  static_cast<void>(read_header(source));
  return {"Password Safe 1 or 2, if ⟦format⟧ is right", {}};
}

}  // namespace

const Codec kPwsafeCodec{
    .name = "pwsafe",
    .summary = "Password Safe 1 and 2 (.dat, .psafe2)",
    .made_by = "Password Safe up to 2.x and its exports of old formats",
    .wrong_secret = "a hash of the passphrase",
    .options = kOptions,
    .open = open_pwsafe,
    .describe = describe_pwsafe,
    .holds_passwords = true,
};

}  // namespace fugu::format
