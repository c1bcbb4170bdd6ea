// Paths inside a tree, and directories that are read.
#include "fugu/stream/tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <system_error>

#include "fugu/error.hpp"

namespace fugu::stream {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};

TreeEntryKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return TreeEntryKind::file;
  if (S_ISDIR(mode)) return TreeEntryKind::directory;
  return S_ISLNK(mode) ? TreeEntryKind::link : TreeEntryKind::other;
}

class Directory final : public TreeSource {
 public:
  Directory(std::string top, unsigned threads) : top_(std::move(top)), threads_(threads) {
    static_cast<void>(attributes({}));
  }

  std::vector<TreeEntry> list(const TreePath& directory) override try {
    const std::unique_ptr<DIR, CloseDirectory> opened(::opendir(name_of(directory).c_str()));
    if (!opened) throw system_error("cannot open", errno);
    std::vector<TreeEntry> entries;
    errno = 0;
    for (const dirent* read = ::readdir(opened.get()); read != nullptr; read = ::readdir(opened.get())) {
      const std::string name = read->d_name;
      if (!is_tree_name(name)) continue;
      struct stat status;
      const bool seen = ::fstatat(::dirfd(opened.get()), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
      if (seen) entries.push_back({name, kind_of(status.st_mode)});
      errno = 0;
    }
    if (errno != 0) throw system_error("read failed", errno);
    std::ranges::sort(entries, {}, &TreeEntry::name);
    return entries;
  } catch (...) {
    rethrow_as_error();
  }

  FileAttributes attributes(const TreePath& directory) override try {
    struct stat status;
    if (::stat(name_of(directory).c_str(), &status) != 0) throw system_error("cannot open", errno);
    if (!S_ISDIR(status.st_mode)) throw Error(Errc::io, "is not a directory");
    return {.permissions = status.st_mode & 0777, .group = status.st_gid, .modified = status.st_mtim};
  } catch (...) {
    rethrow_as_error();
  }

  std::unique_ptr<Source> open(const TreePath& file) override {
    return with_errors_only([&] { return open_regular_file(name_of(file), threads_); });
  }

  std::string link_target(const TreePath& link) override try {
    std::array<char, PATH_MAX> target;
    const ssize_t bytes = ::readlink(name_of(link).c_str(), target.data(), target.size());
    if (bytes < 0) throw system_error("cannot read a link", errno);
    return {target.data(), static_cast<std::size_t>(bytes)};
  } catch (...) {
    rethrow_as_error();
  }

 private:
  std::string name_of(const TreePath& path) const { return path.empty() ? top_ : top_ + '/' + text_of(path); }

  std::string top_;
  unsigned threads_;
};

}  // namespace

std::string text_of(const TreePath& path) try {
  std::string text;
  for (const std::string& name : path) text += (text.empty() ? "" : "/") + name;
  return text;
} catch (...) {
  rethrow_as_error();
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

bool lies_inside(const std::string& path, const std::string& directory) try {
  std::error_code unknown;
  const auto canonical = [&](const std::string& name) {
    const std::filesystem::path whole = std::filesystem::weakly_canonical(name, unknown);
    return whole.has_filename() ? whole : whole.parent_path();  // "a/" is "a"
  };
  const std::filesystem::path inner = canonical(path);
  const std::filesystem::path outer = canonical(directory);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
} catch (...) {
  rethrow_as_error();
}

std::unique_ptr<TreeSource> open_tree(const std::string& path, unsigned threads) {
  return with_errors_only([&] { return std::make_unique<Directory>(path, threads); });
}

}  // namespace fugu::stream
