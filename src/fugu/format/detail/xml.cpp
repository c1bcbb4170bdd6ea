#include "fugu/format/detail/xml.hpp"

#include <set>

#include "fugu/format/detail/codecs.hpp"

namespace fugu::format {

pugi::xml_node only_root(pugi::xml_document& document, std::span<const std::byte> file, const char* name) {
  constexpr unsigned kKeepTextBesideRoots = pugi::parse_default | pugi::parse_fragment;
  if (!document.load_buffer(file.data(), file.size(), kKeepTextBesideRoots))
    throw Error(Errc::damaged, "it is not XML: damaged or truncated");
  const pugi::xml_node root = document.child(name);
  if (!root) throw Error(Errc::damaged, std::string("it lacks the element ") + name);
  const bool ends_in_zero = text_of(file).find('\0') != std::string_view::npos;  // for pugixml
  if (ends_in_zero || root.previous_sibling() || root.next_sibling())
    throw Error(Errc::damaged, std::string("something precedes or follows its element ") + name);
  return root;
}

std::string take_text(pugi::xml_node from, const char* child) {
  pugi::xml_node element = from.child(child);
  std::string taken;
  const auto is_text = [](const pugi::xml_node& one) { return *one.value() != 0; };
  while (const pugi::xml_node text = element.find_child(is_text)) {
    taken += text.value();
    element.remove_child(text);
  }
  drop_if_empty(element);
  return taken;
}

std::string take_attribute(pugi::xml_node from, const char* name) {
  std::string taken = from.attribute(name).value();
  from.remove_attribute(name);
  return taken;
}

void drop_if_empty(pugi::xml_node element) {
  if (!element.first_child() && !element.first_attribute()) element.parent().remove_child(element);
}

std::vector<pugi::xml_node> elements(const pugi::xml_node& in, const char* name) {
  const auto all = in.children(name);
  return {all.begin(), all.end()};
}

std::string what_is_left(const pugi::xml_node& root) {
  std::set<std::string> names;
  for (const pugi::xml_attribute& one : root.attributes()) names.insert(one.name());
  for (const pugi::xml_node& one : root.children()) names.insert(*one.name() != 0 ? one.name() : "text");
  return joined(names, ", ");
}

}  // namespace fugu::format
