// Paths inside a tree.
#include "fugu/stream/tree.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace fugu::stream {

std::string text_of(const TreePath& path) {
  std::string text;
  for (const std::string& name : path) text += (text.empty() ? "" : "/") + name;
  return text;
}

bool is_tree_name(std::string_view name) noexcept {
  constexpr std::string_view kForbidden("/\0", 2);
  return !name.empty() && name != "." && name != ".." && name.find_first_of(kForbidden) == name.npos;
}

bool stays_inside(const TreePath& link, std::string_view target) {
  if (target.empty() || target.front() == '/' || target.find('\0') != target.npos) return false;
  std::size_t above = link.size() - 1;  // directories between the link and the top
  bool was_name = false;
  while (!target.empty()) {
    const std::string_view name = target.substr(0, target.find('/'));
    target.remove_prefix(std::min(target.size(), name.size() + 1));
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      was_name = true;
    } else if (was_name || above-- == 0) {
      return false;
    }
  }
  return true;
}

bool lies_inside(const std::string& path, const std::string& directory) {
  const auto canonical = [&](const std::string& name) {
    std::error_code failure;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(name, failure);
    if (failure) throw system_error("cannot open", failure.value());
    return whole.has_filename() ? whole : whole.parent_path();  // "a/" is "a"
  };
  const std::filesystem::path inner = canonical(path);
  const std::filesystem::path outer = canonical(directory);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace fugu::stream
