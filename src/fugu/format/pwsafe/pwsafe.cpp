// Databases of Password Safe 1 and 2 (docs/formatV1.txt and formatV2.txt of pwsafe/pwsafe).
//
//   RND 8 | H(RND) 20 | salt 20 | iv 8 | CBC ciphertext under the key SHA-1(passphrase | salt)
//
// The cipher's words are little-endian. H(RND) proves the passphrase. The plaintext is a sequence of fields:
// a block of { length, u32 little-endian | type | 3 random bytes }, then the field's bytes in one block or
// more. There is no magic, so such files cannot be recognised.
#include "fugu/format/detail/codecs.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "fugu/auth/digest.hpp"
#include "fugu/core/wiped.hpp"
#include "fugu/format/detail/digests.hpp"
#include "fugu/format/detail/entries.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/reader.hpp"
#include "fugu/format/pwsafe/detail/records.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

using Bytes = std::span<const std::byte>;

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
  Header header;
  header.probe = source.take(kProbeBytes, "its header");
  header.hash = source.take(kHashBytes, "its header");
  header.salt = source.take(kSaltBytes, "its header");
  header.iv = source.take(kBlockBytes, "its header");
  return header;
}

void require_whole_blocks(const Job& job, std::uint64_t bytes) {
  holds(job, [&] {
    if (bytes % kBlockBytes == 0) return;
    throw Error(Errc::damaged,
                "not a whole Password Safe database, by its length: truncated, or another file");
  });
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

// The passphrase in the charset in which the database was written.
auth::SecretBytes fitting_passphrase(engine::Engine& engine, const Header& header,
                                     const auth::SecretBytes& passphrase) {
  if (fits(engine, header, passphrase.span())) return auth::SecretBytes(passphrase.span());
  auth::SecretBytes other = windows_1252_of(passphrase.span());
  if (!other.empty() && fits(engine, header, std::as_const(other).span())) return other;
  throw Error(Errc::wrong_key, "wrong passphrase, or not a Password Safe 1 or 2 database");
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
}

void write(const Job& job, const OptionValues& options, const Database& database) {
  stream::MemorySink text;
  options.text("to") == "csv" ? write_csv(database, text) : write_json(database, text);
  write_whole(job, text.bytes());
}

Opened open_pwsafe(const Job& job, const OpenRequest& request) {
  Lookahead source(job.source);
  const Header header = read_header(source);
  core::WipedBytes plaintext = take_all(source, "a Password Safe database");
  require_whole_blocks(job, plaintext.size());
  count_read(job, kHeaderBytes + plaintext.size());
  const auth::SecretBytes passphrase =
      fitting_passphrase(job.engine, header, request.secret(SecretKind::passphrase));
  const auth::SecretBytes key = auth::digest("sha1", {passphrase.span(), header.salt});
  plaintext.resize(plaintext.size() / kBlockBytes * kBlockBytes);
  run(job.engine, key.span(), header.iv, Direction::decrypt, plaintext);
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
