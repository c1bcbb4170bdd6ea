#include "fugu/format/detail/xml.hpp"

#include <string>

#include "fugu/error.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {

pugi::xml_node only_root(pugi::xml_document& document, std::span<const std::byte> file, const char* name) {
  if (!document.load_buffer(file.data(), file.size()))
    throw Error(Errc::damaged, "it is not XML: damaged or truncated");
  const pugi::xml_node root = document.child(name);
  if (!root) throw Error(Errc::damaged, std::string("it has no element ") + name);
  if (!ends_with(root, file)) throw Error(Errc::damaged, "something follows the end of its XML");
  return root;
}

bool ends_with(const pugi::xml_node& root, std::span<const std::byte> file) {
  return !root.next_sibling() && trimmed(text_of(file)).ends_with(std::string("</") + root.name() + ">");
}

}  // namespace fugu::format
