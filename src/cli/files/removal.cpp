#include "cli/files/removal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

bool is_same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

InputState::InputState(std::shared_ptr<const stream::Descriptor> directory, std::string name)
    : directory_(std::move(directory)), name_(std::move(name)) {
  const auto look = [&](int flags) {
    if (::fstatat(base(), name_.c_str(), &file_, flags) != 0) throw system_error("cannot open", errno);
  };
  look(AT_SYMLINK_NOFOLLOW);
  is_link_ = S_ISLNK(file_.st_mode);
  if (is_link_) look(0);
}

int InputState::base() const {
  return directory_ ? directory_->get() : AT_FDCWD;
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
  const InputState now(directory_, name_);
  if (now.file_.st_dev != file_.st_dev || now.file_.st_ino != file_.st_ino || now.is_link_ != is_link_)
    throw Error(Errc::io, "was replaced by another file meanwhile");
  const bool same_times =
      is_same(now.file_.st_mtim, file_.st_mtim) && is_same(now.file_.st_ctim, file_.st_ctim);
  if (now.file_.st_size != file_.st_size || now.file_.st_nlink != file_.st_nlink || !same_times)
    throw Error(Errc::io, "was changed meanwhile");
}

void InputState::require_removable(const Proven& proven) const {
  try {
    if (!proven.secret) throw Error(Errc::io, "nothing proves that the passphrase or key was the right one");
    if (!proven.all_content) throw Error(Errc::io, std::string(proven.otherwise));
    require_unchanged();
  } catch (const Error& error) {
    throw Error(error.code(), error.text() + "; not removed");
  }
}

void InputState::remove(const Proven& proven) const {
  require_removable(proven);
  if (::unlinkat(base(), name_.c_str(), 0) != 0) throw system_error("cannot remove", errno);
}

std::shared_ptr<const stream::Descriptor> directory_of_named(const std::string& file) {
  const std::string parent = std::filesystem::path(file).parent_path().string();
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;  // reading it may be forbidden
  stream::Descriptor opened(::open(parent.empty() ? "." : parent.c_str(), kFlags));
  if (!opened) throw system_error("cannot open its directory", errno);
  return std::make_shared<const stream::Descriptor>(std::move(opened));
}

}  // namespace fugu::cli
