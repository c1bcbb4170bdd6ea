// Figaro's Password Manager 0.5x and kedpm (~/.fpm/fpm).
//
// XML. The key is MD5(salt | passphrase). A field is q blocks of ECB in letters "a" to "p", two per byte;
// byte k of the plaintext's column i is byte i of block k. The text ends at its first zero, and noise
// follows. The field vstring holds "FIGARO", which proves the passphrase.

#include "fugu/auth/digest.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/xml.hpp"

namespace fugu::format {
namespace {

constexpr std::string_view kProof = "FIGARO";
constexpr std::array kOptions{kEntriesForm};
constexpr std::array kFields{"title", "user", "url", "password", "notes", "category", "launcher"};
constexpr std::array kVersions{"full_version", "min_version", "display_version"};
constexpr CsvColumns kColumns{"category", "title", "user", "password", "url", "notes"};

core::WipedBytes bytes_of_letters(std::string_view letters) {
  const bool are_letters = std::ranges::all_of(letters, [](char c) { return c >= 'a' && c <= 'p'; });
  if (!are_letters || letters.size() % (2 * kBlockBytes) != 0)
    throw Error(Errc::damaged, "a field is damaged: it is not whole blocks in letters a to p");
  core::WipedBytes bytes(letters.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>((letters[2 * i] - 'a') << 4 | (letters[2 * i + 1] - 'a'));
  return bytes;
}

core::WipedBytes open_field(engine::Engine& engine, const cipher::Schedule& schedule,
                            std::string_view letters) {
  core::WipedBytes blocks = bytes_of_letters(letters);
  transform(engine, schedule, {.mode = Mode::ecb}, Direction::decrypt, blocks);
  const std::size_t columns = blocks.size() / kBlockBytes;
  core::WipedBytes text(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) text[i] = blocks[i % columns * kBlockBytes + i / columns];
  text.erase(std::ranges::find(text, std::byte{0}), text.end());
  return text;
}

// Takes the entries out of `root`.
std::vector<StoredEntry> take_entries(engine::Engine& engine, const cipher::Schedule& schedule,
                                      const pugi::xml_node& root) {
  std::vector<StoredEntry> entries;
  for (const pugi::xml_node& list : elements(root, "PasswordList")) {
    for (const pugi::xml_node& item : elements(list, "PasswordItem")) {
      StoredEntry& entry = entries.emplace_back();
      for (const char* name : kFields)
        entry.push_back({name, open_field(engine, schedule, take_text(item, name))});
      drop_if_empty(item);
    }
    drop_if_empty(list);
  }
  return entries;
}

bool is_fpm(std::span<const std::byte> head) {
  const std::string_view text = text_of(head);
  return text.find("<FPM ") != text.npos && text.find("<KeyInfo ") != text.npos;
}

Opened open_fpm(const Job& job, const OpenRequest& request) {
  const core::WipedBytes file = read_whole(job, "a password store");
  pugi::xml_document document;
  const pugi::xml_node root = only_root(document, file, "FPM");
  const pugi::xml_node key = root.child("KeyInfo");
  const std::string proof = take_attribute(key, "vstring");
  if (bytes_of_letters(proof).size() != kBlockBytes)
    throw Error(Errc::damaged, "its KeyInfo is damaged: vstring is not one block");
  const std::string salt = take_attribute(key, "salt");
  for (const char* version : kVersions) take_attribute(root, version);
  const cipher::Schedule schedule = schedule_of(
      auth::digest("md5", {bytes_in(salt), request.secret(SecretKind::passphrase).span()}).span());
  if (text_of(open_field(job.engine, schedule, proof)) != kProof)
    throw Error(Errc::wrong_key,
                "wrong passphrase, or a store of FPM2 0.7 or later, which encrypts with AES, not Blowfish");
  const bool as_csv = request.options.text("to") == "csv";
  write_entries(job, take_entries(job.engine, schedule, root), as_csv, kColumns);
  job.sink.finish();
  Opened opened = proved("Figaro's Password Manager, MD5");
  for (const char* name : {"KeyInfo", "LauncherList"}) drop_if_empty(root.child(name));
  const std::string left = what_is_left(root);
  opened.all_content = !as_csv && left.empty();  // a table has no place for the launcher
  if (!left.empty()) opened.notes.push_back("the store holds more, which was not written: in " + left);
  return opened;
}

Description describe_fpm(stream::Source& input, const OptionValues&) {
  Lookahead source(input);
  pugi::xml_document document;
  const pugi::xml_node root = only_root(document, take_all(source, "a password store"), "FPM");
  const auto items = root.child("PasswordList").children("PasswordItem");
  Description description{.title = "Figaro's Password Manager"};
  description.add_number("entries", "entries",
                         static_cast<std::uint64_t>(std::distance(items.begin(), items.end())));
  return description;
}

}  // namespace

const Codec kFpmCodec{
    .name = "fpm",
    .summary = "Figaro's Password Manager and kedpm",
    .made_by = "FPM 0.5x, FPM2 before 0.7, kedpm",
    .wrong_secret = "the word FIGARO, encrypted",
    .options = kOptions,
    .recognise = recognise_if<is_fpm>,
    .open = open_fpm,
    .describe = describe_fpm,
    .no_salvage = "its XML has to be whole",
    .holds_passwords = true,
};

}  // namespace fugu::format
