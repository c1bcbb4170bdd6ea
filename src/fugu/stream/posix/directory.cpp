// Directories that are read.
#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "fugu/stream/posix/detail/tree_directories.hpp"
#include "fugu/stream/posix/walked_directory.hpp"

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

// Empty if there is no such entry any more.
std::optional<TreeEntry> entry_of(int directory, const std::string& name) {
  struct stat status;
  if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
    return TreeEntry{name, kind_of(status.st_mode)};
  if (errno == ENOENT) return std::nullopt;
  return TreeEntry{name, TreeEntryKind::other, system_error("cannot open", errno)};
}

// With a copy of the descriptor, which has the same read position.
std::unique_ptr<DIR, CloseDirectory> open_list(const Descriptor& directory) {
  Descriptor copy(::fcntl(directory.get(), F_DUPFD_CLOEXEC, 0));
  if (copy && ::lseek(copy.get(), 0, SEEK_SET) != 0) throw system_error("cannot open", errno);
  std::unique_ptr<DIR, CloseDirectory> opened(copy ? ::fdopendir(copy.get()) : nullptr);
  if (!opened) throw system_error("cannot open", errno);
  copy.release();
  return opened;
}

class Directory final : public TreeSource {
 public:
  Directory(std::shared_ptr<const Descriptor> top, unsigned threads)
      : directories_(std::move(top), "cannot open"), threads_(threads) {}

  TreeListing list(const TreePath& directory) override { return stream::list(*directories_.at(directory)); }

  FileAttributes attributes(const TreePath& directory) override {
    struct stat status;
    const int failure = directory.empty() ? ::fstat(directories_.top().get(), &status)
                                          : ::fstatat(directories_.parent_of(directory)->get(),
                                                      directory.back().c_str(), &status, AT_SYMLINK_NOFOLLOW);
    if (failure != 0) throw system_error("cannot open", errno);
    if (!S_ISDIR(status.st_mode)) throw Error(Errc::io, "is not a directory");
    return {.permissions = status.st_mode & 0777, .group = status.st_gid, .modified = status.st_mtim};
  }

  std::unique_ptr<Source> open(const TreePath& file) override {
    return open_regular_file(directories_.parent_of(file), file.back(), threads_);
  }

  std::string link_target(const TreePath& link) override {
    std::array<char, PATH_MAX> target;
    const ssize_t bytes =
        ::readlinkat(directories_.parent_of(link)->get(), link.back().c_str(), target.data(), target.size());
    if (bytes < 0) throw system_error("cannot read a link", errno);
    return {target.data(), static_cast<std::size_t>(bytes)};
  }

 private:
  TreeDirectories directories_;
  unsigned threads_;
};

}  // namespace

TreeListing list(const Descriptor& directory) {
  const std::unique_ptr<DIR, CloseDirectory> opened = open_list(directory);
  TreeListing listing;
  errno = 0;
  for (const dirent* read = ::readdir(opened.get()); read != nullptr; read = ::readdir(opened.get())) {
    const std::string name = read->d_name;
    if (is_tree_name(name)) {
      if (auto entry = entry_of(directory.get(), name)) listing.entries.push_back(std::move(*entry));
    }
    errno = 0;
  }
  if (errno != 0) listing.problem = system_error("read failed", errno);
  std::ranges::sort(listing.entries, {}, &TreeEntry::name);
  return listing;
}

std::unique_ptr<TreeSource> open_tree(const WalkedDirectory& top, unsigned threads) {
  return std::make_unique<Directory>(top.open(), threads);
}

std::unique_ptr<TreeSource> open_tree(const std::string& path, unsigned threads) {
  return open_tree(WalkedDirectory(path), threads);
}

}  // namespace fugu::stream
