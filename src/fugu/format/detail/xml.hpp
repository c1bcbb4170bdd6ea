// XML files of other programs. Private to format; only where pugixml is.
#pragma once

#include <pugixml.hpp>
#include <span>
#include <string>
#include <vector>

namespace fugu::format {

// Parses `file` into `document` and returns its only root. Throws Error{damaged} for any other root, and for
// anything beside it.
pugi::xml_node only_root(pugi::xml_document& document, std::span<const std::byte> file, const char* name);

// Readers of stores take what they know out of the document, so that nothing else goes unseen: the text of
// the first child of this name, and an attribute. Empty without one.
std::string take_text(pugi::xml_node from, const char* child);
std::string take_attribute(pugi::xml_node from, const char* name);

// Removes an element of which everything has been taken.
void drop_if_empty(pugi::xml_node element);

// The children of this name, which may be dropped while they are read.
std::vector<pugi::xml_node> elements(const pugi::xml_node& in, const char* name);

// "LauncherList, PasswordList": the parts of `root` in which something was not taken; empty if there is none.
std::string what_is_left(const pugi::xml_node& root);

}  // namespace fugu::format
