// XML files of other programs. Private to format; only where pugixml is.
#pragma once

#include <pugixml.hpp>
#include <span>

namespace fugu::format {

// Parses `file` into `document` and returns its only root. Throws Error{damaged} for any other root, and for
// text after its end.
pugi::xml_node only_root(pugi::xml_document& document, std::span<const std::byte> file, const char* name);

// Whether `file` ends with this root: pugixml drops text after it.
bool ends_with(const pugi::xml_node& root, std::span<const std::byte> file);

}  // namespace fugu::format
