#include "fugu/stream/posix/walked_directory.hpp"

#include <unistd.h>

#include "fugu/stream/posix/detail/file_status.hpp"
#include "fugu/stream/posix/detail/tree_directories.hpp"

namespace fugu::stream {
namespace {

[[noreturn]] void refuse_replaced() {
  throw Error(Errc::io, "a directory on its path was replaced meanwhile");
}

}  // namespace

std::shared_ptr<WalkedDirectory> WalkedDirectory::make(std::shared_ptr<const WalkedDirectory> parent,
                                                       std::string name, mode_t mode) {
  const std::shared_ptr<const Descriptor> above = parent->open();
  const bool is_new = make_below(above->get(), name, mode);
  const Descriptor opened = open_below(above->get(), name);
  if (!opened && (errno == ELOOP || errno == ENOTDIR))
    throw Error(Errc::io, "a directory on its path is a link or another file, which is not followed");
  if (!opened) throw system_error("cannot open its directory", errno);
  if (is_new && ::fsync(above->get()) != 0 && errno != EINVAL)
    throw system_error("cannot sync its directory", errno);
  return std::make_shared<WalkedDirectory>(std::move(parent), std::move(name));
}

Descriptor WalkedDirectory::reopen() const {
  Descriptor opened =
      parent_ ? open_below(parent_->open()->get(), name_)
              : Descriptor(retry_interrupted([&] { return ::open(name_.c_str(), kDirectoryFlags); }));
  if (opened) return opened;
  if (parent_ && (errno == ELOOP || errno == ENOTDIR)) refuse_replaced();
  throw system_error("cannot open", errno);
}

std::shared_ptr<const Descriptor> WalkedDirectory::open() const {
  const std::lock_guard lock(mutex_);
  if (auto opened = opened_.lock()) return opened;
  auto opened = std::make_shared<const Descriptor>(reopen());
  const struct stat status = status_of(opened->get());
  const FileId now{static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
  if (first_.value_or(now) != now) refuse_replaced();
  first_ = now;
  opened_ = opened;
  return opened;
}

}  // namespace fugu::stream
