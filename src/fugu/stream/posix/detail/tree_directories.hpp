// The directories of one tree, opened by their names from its top and never through a link. Private to
// platform.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include "fugu/stream/posix/descriptor.hpp"
#include "fugu/stream/tree.hpp"

namespace fugu::stream {

inline constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

// The directory called `name` in another; empty, with errno, if it cannot be opened or is a link.
inline Descriptor open_below(int directory, const std::string& name) noexcept {
  return Descriptor(
      retry_interrupted([&] { return ::openat(directory, name.c_str(), kDirectoryFlags | O_NOFOLLOW); }));
}

// `opened` if it is a directory. Throws Error{io} otherwise, with the reason in errno.
inline Descriptor require_directory(Descriptor opened) {
  if (!opened && (errno == ELOOP || errno == ENOTDIR))
    throw Error(Errc::io, "exists and is not a directory; not overwritten");
  if (!opened) throw system_error("cannot open its directory", errno);
  return opened;
}

// Creates the directory called `name` in another. False if something of that name exists. Throws Error{io}.
inline bool make_below(int directory, const std::string& name, mode_t mode) {
  if (::mkdirat(directory, name.c_str(), mode) == 0) return true;
  if (errno != EEXIST) throw system_error("cannot create a directory", errno);
  return false;
}

class TreeDirectories {
 public:
  // `failure`: what the error says of a directory that cannot be opened.
  TreeDirectories(std::shared_ptr<const Descriptor> top, const char* failure)
      : top_(std::move(top)), failure_(failure), last_(top_) {}

  const Descriptor& top() const noexcept { return *top_; }

  // Keeps the last one open for the next call. Throws Error{io}.
  std::shared_ptr<const Descriptor> at(const TreePath& directory) {
    if (directory == last_path_) return last_;
    std::shared_ptr<const Descriptor> opened = top_;
    for (const std::string& name : directory) {
      Descriptor below = open_below(opened->get(), name);
      if (!below) throw system_error(failure_, errno);
      opened = std::make_shared<const Descriptor>(std::move(below));
    }
    last_ = std::move(opened);
    last_path_ = directory;
    return last_;
  }

  std::shared_ptr<const Descriptor> parent_of(const TreePath& path) {
    return at({path.begin(), path.end() - 1});
  }

 private:
  std::shared_ptr<const Descriptor> top_;
  const char* failure_;
  TreePath last_path_;
  std::shared_ptr<const Descriptor> last_;
};

}  // namespace fugu::stream
