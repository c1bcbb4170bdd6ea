#include "cli/cipher/removal.hpp"

#include <unistd.h>

#include <cerrno>

#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

bool is_same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

InputState::InputState(std::string path) : path_(std::move(path)) {
  struct stat name;
  if (::lstat(path_.c_str(), &name) != 0 || ::stat(path_.c_str(), &file_) != 0)
    throw system_error("cannot open", errno);
  is_link_ = S_ISLNK(name.st_mode);
}

void InputState::require_only_name() const {
  if (is_link_) throw Error(Errc::io, "is a symbolic link, which --rm does not remove");
  if (!S_ISREG(file_.st_mode)) throw Error(Errc::io, "is not a regular file, and --rm removes no other");
  if (file_.st_nlink != 1) throw Error(Errc::io, "has other hard links, which --rm would leave");
}

void InputState::require_opened(const std::optional<stream::FileId>& opened) const {
  if (!opened || opened->device != file_.st_dev || opened->inode != file_.st_ino)
    throw Error(Errc::io, "was replaced by another file meanwhile");
}

void InputState::require_unchanged() const {
  const InputState now(path_);
  if (now.file_.st_dev != file_.st_dev || now.file_.st_ino != file_.st_ino || now.is_link_ != is_link_)
    throw Error(Errc::io, "was replaced by another file meanwhile");
  const bool same_times =
      is_same(now.file_.st_mtim, file_.st_mtim) && is_same(now.file_.st_ctim, file_.st_ctim);
  if (now.file_.st_size != file_.st_size || now.file_.st_nlink != file_.st_nlink || !same_times)
    throw Error(Errc::io, "was changed meanwhile");
}

void require_removable(const InputState& seen, const Proven& proven) {
  try {
    if (!proven.secret) throw Error(Errc::io, "nothing proves that the passphrase or key was the right one");
    if (!proven.all_content) throw Error(Errc::io, "the output does not hold all of the content");
    seen.require_unchanged();
  } catch (const Error& error) {
    throw Error(error.code(), error.text() + "; not removed");
  }
}

void remove_input(const std::string& path, const InputState& seen, const Proven& proven) {
  require_removable(seen, proven);
  if (::unlink(path.c_str()) != 0) throw system_error("cannot remove", errno);
}

}  // namespace fugu::cli
