// The result of fstat(2) in this layer's terms.
#pragma once

#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include <cerrno>

#include "fugu/error.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::stream {

// Throws Error{io}.
inline struct stat status_of(int descriptor) {
  struct stat status;
  if (::fstat(descriptor, &status) != 0) throw system_error("cannot open", errno);
  return status;
}

// Files, named pipes and block devices: reading one while writing it destroys it or never ends.
inline std::optional<FileId> identity(const struct stat& status) {
  if (S_ISBLK(status.st_mode)) return FileId{static_cast<std::uint64_t>(status.st_rdev), 0};
  if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)) {
    return FileId{static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
  }
  return std::nullopt;
}

// Whether the file system keeps its files in memory (tmpfs).
inline bool is_in_memory(int descriptor) {
  constexpr long kTmpfsMagic = 0x01021994;  // statfs(2)
  struct statfs system;
  return ::fstatfs(descriptor, &system) == 0 && system.f_type == kTmpfsMagic;
}

// False when the file system says that it cannot hold `bytes` more.
inline bool has_room(int descriptor, std::uint64_t bytes) {
  struct statfs system;
  if (::fstatfs(descriptor, &system) != 0 || system.f_blocks == 0) return true;  // 0: without a limit
  return bytes / static_cast<std::uint64_t>(system.f_bsize) < system.f_bavail;
}

inline FileAttributes attributes_of(int descriptor, const struct stat& status) {
  FileAttributes attributes{
      .permissions = status.st_mode & 0777, .group = status.st_gid, .modified = status.st_mtim};
  if (::fgetxattr(descriptor, "system.posix_acl_access", nullptr, 0) > 0) attributes.group.reset();
  return attributes;
}

// Gives the open file `to` the access control list (acl(5)) and the user.* attributes (xattr(7)) of the file
// `from`, which may be open with O_PATH, and no other list. If /proc is not mounted they are read by its
// `path`; an empty one is refused. Throws Error{io} naming what cannot be preserved.
void copy_extended_attributes(int from, const std::string& path, int to);

}  // namespace fugu::stream
