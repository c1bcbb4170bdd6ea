// A Password Safe database for other programs. Private to pwsafe.
#pragma once

#include <string>
#include <vector>

#include "fugu/format/pwsafe/detail/records.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::format {

// An object with the version and a list of entries, each an object of the fields it has.
void write_json(const Database& database, stream::Sink& sink);

// A table that three programs import:
// - Bitwarden as "KeePassX (csv)" and KeePassXC by the names Group, Title, Username, Password, URL and Notes
//   (bitwarden/clients, keepassx-csv-importer.ts); their groups have slashes where Password Safe's have dots.
// - Password Safe as plain text with the field separator "," by the names Group/Title, Username, Password,
//   URL and Notes (pwsafe/pwsafe, src/core/CoreImpExp.cpp, ImportPlaintextFile): the names stand without
//   quotes, a line feed alone ends a row, a row is no shorter than the header, Notes come last and may have
//   several lines, and a dot in a title is U+00BB. Later versions take Title too, and the group from the last
//   of Group and Folder. It knows no comma or quote inside of a field.
// The URL is the first that the notes hold, as Password Safe finds it; the notes keep it.
void write_csv(const Database& database, stream::Sink& sink);

// On entries of that table which the programs leave out or change, for people.
std::vector<std::string> csv_notes(const Database& database);

}  // namespace fugu::format
