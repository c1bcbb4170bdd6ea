// Exports a Password Safe database for other programs. Private to pwsafe.
#pragma once

#include <string>
#include <vector>

#include "fugu/format/pwsafe/detail/records.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::format {

// Writes an object with the version and a list of entries, each an object of its fields.
void write_json(const Database& database, stream::Sink& sink);

// A table that three programs import:
// - Bitwarden as "KeePassX (csv)" and KeePassXC by the names Group, Title, Username, Password, URL and Notes
//   (bitwarden/clients, keepassx-csv-importer.ts); their groups have slashes where Password Safe's have dots.
// - Password Safe as plain text with the field separator "," by the names Group/Title, Username, Password,
//   URL and Notes (pwsafe/pwsafe, src/core/CoreImpExp.cpp, ImportPlaintextFile): names are
//   unquoted, a line feed alone ends a row, a row is no shorter than the header, Notes come last and may have
//   several lines, and a dot in a title is U+00BB. Later versions take Title too, and the group from the last
//   of Group and Folder. It does not support commas or quotes inside a field.
// The URL is the first that the notes hold, as Password Safe finds it; the notes keep it.
void write_csv(const Database& database, stream::Sink& sink);

// Notes for people on entries of that table which the programs leave out or change.
std::vector<std::string> csv_notes(const Database& database);

}  // namespace fugu::format
