// The password store of GPass 0.4 and 0.5 (~/.gpass/passwords.gps).
//
// CBC under SHA-1(passphrase) with a fixed IV and PKCS#7. The plaintext begins with the program's name, which
// proves the passphrase. Version 0.4: entries of lines. 0.5: id, u32 | parent, u32 | type | attributes, the
// last two with their sizes, u32, before them; all little-endian.
#include <numeric>
#include <unordered_map>

#include "fugu/auth/digest.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/judge/story.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

using namespace std::string_view_literals;
using Bytes = std::span<const std::byte>;

constexpr std::string_view kIv = "0517017b0c03365e";
constexpr std::string_view kMagic4 = "GNOME Password Manager\n";
constexpr std::string_view kMagic5 = "GPassFile version 1.1.0";
constexpr std::size_t kProofBytes = 24;
static_assert(kMagic4.size() < kProofBytes && kMagic5.size() < kProofBytes);

constexpr std::array kForms{"json"sv, "csv"sv, "payload"sv};
constexpr std::array kOptions{
    form_row(kForms,
             "What to write: json (the default), csv, which password managers import, or payload, "
             "the content as it is stored."),
};
constexpr CsvColumns kColumns{"folder", "name", "user", "password", "host", "description"};

core::WipedBytes copy(Bytes bytes) {
  return {bytes.begin(), bytes.end()};
}

constexpr const char* kEndsEarly = "the content ends early; ⟦to payload⟧ writes it as it is";

// 7 bits per byte, lowest first.
std::uint64_t variable_number(Reader& reader) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = std::to_integer<std::uint64_t>(reader.take(1).front());
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

Bytes line(Reader& reader) {
  const std::string_view left = text_of(reader.left());
  const Bytes text = reader.take(std::min(left.find('\n'), left.size() + 1));
  reader.take(1);
  return text;
}

void read_version_4(Reader reader, std::vector<StoredEntry>& entries) {
  while (!reader.at_end()) {
    StoredEntry& entry = entries.emplace_back();
    for (const char* name : {"name", "user", "password", "host", "created", "modified", "expires"})
      entry.push_back({name, copy(line(reader))});
    const std::string_view digits = text_of(line(reader));
    const auto size = digits.empty() ? 0 : parse_number(digits);
    if (!size) throw Error(Errc::damaged, "an entry is damaged; ⟦to payload⟧ writes the content as it is");
    core::WipedBytes description = copy(reader.take(*size));
    if (!description.empty() && description.back() == std::byte{'\n'}) description.pop_back();
    entry.push_back({"description", std::move(description)});
  }
}

void read_attributes(Reader& reader, bool is_general, StoredEntry& entry) {
  const auto add_text = [&](const char* name) {
    entry.push_back({name, copy(reader.take(variable_number(reader)))});
  };
  const auto add_number = [&](const char* name) { entry.push_back({name, {}, variable_number(reader)}); };
  add_text("name");
  add_text("description");
  for (const char* name : {"created", "modified", "expires", "expiry"}) add_number(name);
  if (!is_general) return;
  for (const char* name : {"user", "password", "host"}) add_text(name);
}

// Attributes that are not known are kept as they are.
void read_version_5(Reader reader, std::vector<StoredEntry>& entries) {
  std::unordered_map<std::uint32_t, std::size_t> named;  // the first entry of each id
  while (!reader.at_end()) {
    StoredEntry& entry = entries.emplace_back();
    const std::uint32_t id = reader.little(4);
    const std::uint32_t parent = reader.little(4);
    entry.push_back({"id", {}, id});
    entry.push_back({"parent", {}, parent});
    entry.push_back({"type", copy(reader.take(reader.little(4)))});
    const auto folder = named.find(parent);
    entry.push_back({"folder", folder == named.end() ? core::WipedBytes() : entries[folder->second][4].text});
    Reader attributes(reader.take(reader.little(4)), kEndsEarly);
    const std::string_view type = text_of(entry[2].text);
    if (type == "general" || type == "folder") {
      read_attributes(attributes, type == "general", entry);
      named.try_emplace(id, entries.size() - 1);
    }
    if (!attributes.at_end()) entry.push_back({"base64", copy(attributes.left()), {}, true});
  }
}

// The program's name at the beginning, or nothing. A changed byte spoils a block of it and one bit of the
// next: what is left proves the passphrase.
std::string_view magic_of(Bytes beginning) {
  for (const std::string_view magic : {kMagic4, kMagic5}) {
    const auto equal = std::transform_reduce(magic.begin(), magic.end(), text_of(beginning).begin(),
                                             std::size_t{0}, std::plus(), std::equal_to());
    if (equal >= kBlockBytes) return magic;
  }
  return {};
}

// Those that hold, where the job salvages.
std::vector<StoredEntry> read_entries(const Job& job, Bytes payload, std::string_view magic) {
  const Reader reader(payload.subspan(std::min(magic.size(), payload.size())), kEndsEarly);
  std::vector<StoredEntry> entries;
  if (!holds(job,
             [&] { magic == kMagic4 ? read_version_4(reader, entries) : read_version_5(reader, entries); }))
    std::erase_if(entries, [](const StoredEntry& entry) { return entry.empty(); });
  return entries;
}

void write(const Job& job, const OptionValues& options, Bytes payload, std::string_view magic,
           Opened& opened) {
  if (options.text("to") == "payload") return write_counted(job, payload);
  const std::vector<StoredEntry> entries = read_entries(job, payload, magic);
  const bool as_csv = options.text("to") == "csv";
  write_entries(job, entries, as_csv, kColumns);
  opened.all_content = !as_csv;  // a CSV has no column for some fields
  const auto holds_bytes = [](const StoredEntry& entry) { return entry.back().is_bytes; };
  if (const auto unknown = std::ranges::count_if(entries, holds_bytes); unknown != 0)
    opened.notes.push_back(std::to_string(unknown) + " of " + std::to_string(entries.size()) +
                           " entries hold attributes that fugu does not know: " +
                           (as_csv ? "they were not written" : "they were written in base64"));
}

bool is_size(std::uint64_t bytes) {
  return bytes >= kProofBytes && bytes % kBlockBytes == 0;
}

void decrypt(engine::Engine& engine, const AskSecret& secret, std::span<std::byte> content) {
  transform(engine, auth::digest("sha1", {secret(SecretKind::passphrase).span()}).span(),
            {.iv = iv_of(*parse_hex(kIv))}, Direction::decrypt, content);
}

bool opens_gpass(engine::Engine& engine, Bytes head, std::optional<std::uint64_t> size_bytes,
                 const AskSecret& secret) {
  if (!is_size(size_bytes.value_or(kProofBytes)) || head.size() < kProofBytes) return false;
  core::WipedBytes beginning = copy(head.first(kProofBytes));
  decrypt(engine, secret, beginning);
  return !magic_of(beginning).empty();
}

Opened open_gpass(const Job& job, const OpenRequest& request) {
  core::WipedBytes content = read_whole(job, "a password store");
  holds(job, is_size(content.size()), "not a whole GPass store, by its length: truncated, or another file");
  content.resize(content.size() / kBlockBytes * kBlockBytes);
  if (content.size() < kProofBytes) throw Error(Errc::damaged, "nothing of its content is left");
  decrypt(job.engine, request.secret, content);
  const std::string_view magic = magic_of(content);
  if (magic.empty()) throw Error(Errc::wrong_key, "wrong passphrase, or not a GPass store");
  holds(job, starts_with(content, magic), "its beginning is damaged");
  const auto padding = padding_bytes(TailPadding::pkcs7, std::span(content).last(kBlockBytes));
  holds(job, padding.has_value(), "its end is missing or damaged");
  Opened opened = proved(std::string("GPass ") + (magic == kMagic5 ? "0.5" : "0.4") + ", bf-cbc, SHA-1");
  write(job, request.options, Bytes(content).first(content.size() - padding.value_or(0)), magic, opened);
  job.sink.finish();
  return opened;
}

}  // namespace

const Codec kGpassCodec{
    .name = "gpass",
    .extensions = kExtensions<".gps">,
    .summary = "GPass, a password manager for GNOME (.gps)",
    .made_by = "GPass 0.4 and 0.5",
    .wrong_secret = "the beginning of the content",
    .options = kOptions,
    .opens = opens_gpass,
    .open = open_gpass,
    .describe = describe_as<"GPass, if ⟦format⟧ is right">,
    .holds_passwords = true,
};

}  // namespace fugu::format
