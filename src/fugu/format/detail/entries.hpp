// The entries of a password store as JSON, and as the CSV that password managers import. Private to format.
#pragma once

#include <array>

#include "fugu/core/wipe.hpp"
#include "fugu/format/job.hpp"
#include "fugu/format/option.hpp"

namespace fugu::format {

// The option of what to write.
constexpr OptionRow form_row(std::span<const std::string_view> forms, std::string_view help) {
  return marked(word_option("to FORM", forms, help, OptionUse::open), &OptionRow::by_format);
}

inline constexpr std::array<std::string_view, 2> kEntriesForms{"json", "csv"};
inline constexpr OptionRow kEntriesForm =
    form_row(kEntriesForms, "What to write: json (the default) or csv, which password managers import.");

struct EntryField {
  std::string_view name;
  core::WipedBytes text;
  std::optional<std::uint64_t> number = {};  // instead of text
  bool is_bytes = false;                     // written in base64
};

using StoredEntry = std::vector<EntryField>;

// The names of the fields for the columns Group, Title, Username, Password, URL and Notes.
using CsvColumns = std::array<std::string_view, 6>;

// Text is UTF-8, or Latin-1 where it is not valid UTF-8. JSON: an array of objects and a line feed. CSV: for
// KeePassXC, and for Bitwarden as "KeePassX (csv)".
void write_entries(const Job& job, const std::vector<StoredEntry>& entries, bool as_csv,
                   const CsvColumns& columns);

}  // namespace fugu::format
