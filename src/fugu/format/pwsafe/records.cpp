#include "fugu/format/pwsafe/detail/records.hpp"

#include <algorithm>

#include "fugu/core/block.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

using Bytes = std::span<const std::byte>;
using core::kBlockBytes;

constexpr std::string_view kVersion2 = "!!!Version 2 File Format!!!";
constexpr std::byte kSplit{0xad};        // of version 1, between title and user
constexpr std::byte kDefaultUser{0xa0};  // of version 1, at the end of a title: the user is the default one
constexpr std::string_view kDefaultUserText = "(default user)";

class FieldReader {
 public:
  explicit FieldReader(Bytes bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }

  Field next() {
    if (bytes_.size() < 2 * kBlockBytes) damaged();
    const std::uint64_t length = load_little(bytes_.first(4));
    const auto type = static_cast<FieldType>(bytes_[4]);
    bytes_ = bytes_.subspan(kBlockBytes);
    const std::uint64_t stored =
        std::max<std::uint64_t>(kBlockBytes, (length + kBlockBytes - 1) / kBlockBytes * kBlockBytes);
    if (stored > bytes_.size()) damaged();
    const Field field{type, bytes_.first(static_cast<std::size_t>(length))};
    bytes_ = bytes_.subspan(static_cast<std::size_t>(stored));
    return field;
  }

 private:
  [[noreturn]] static void damaged() { throw Error(Errc::damaged, "the database ends inside a field"); }

  Bytes bytes_;
};

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

void add_secrets(Entry& entry, FieldReader& reader) {
  entry.push_back({FieldType::password, reader.next().bytes});
  entry.push_back({FieldType::notes, reader.next().bytes});
}

Entry read_version_2_entry(FieldReader& reader) {
  Entry entry;
  for (Field field = reader.next(); field.type != FieldType::end; field = reader.next())
    entry.push_back(field);
  return entry;
}

}  // namespace

Database read_database(Bytes plaintext) {
  Database database;
  FieldReader reader(plaintext);
  while (!reader.at_end()) {
    Entry entry;
    if (database.is_version_2) {
      entry = read_version_2_entry(reader);
    } else {
      const Bytes name = reader.next().bytes;
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

Charset charset_of(Bytes text) {
  return is_utf8(text) ? Charset::utf8 : Charset::windows_1252;
}

}  // namespace fugu::format
