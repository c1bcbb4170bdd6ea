// Directories that a walk has found, to be opened again although others may change the tree meanwhile.
#pragma once

#include <mutex>

#include "fugu/stream/posix/descriptor.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::stream {

// Remembers the way to a directory and which one it was, but keeps no descriptor: a tree may have more
// directories than a process may have open.
class FUGU_EXPORT WalkedDirectory {
 public:
  // The directory called `path`, through links.
  explicit WalkedDirectory(std::string path) : name_(std::move(path)) {}

  // The directory called `name` in `parent`, never through a link.
  WalkedDirectory(std::shared_ptr<const WalkedDirectory> parent, std::string name)
      : parent_(std::move(parent)), name_(std::move(name)) {}

  // The directory called `name` in `parent`, never through a link; created first, with the permissions in
  // `mode` that the umask leaves, and synced to the disk, if there is none. Throws Error{io}.
  static std::shared_ptr<WalkedDirectory> make(std::shared_ptr<const WalkedDirectory> parent,
                                               std::string name, std::uint32_t mode);

  // Null for one that was given by its path.
  const std::shared_ptr<const WalkedDirectory>& parent() const noexcept { return parent_; }

  // Opens it for reading; those who hold it at the same time share one descriptor. Throws Error{io}, also if
  // it is another directory than at the first call. Thread-safe.
  std::shared_ptr<const Descriptor> open() const;

  // Keeps it open from now on, so that no other directory can get its inode. Throws as open().
  void hold() { held_ = open(); }

 private:
  Descriptor reopen() const;

  std::shared_ptr<const WalkedDirectory> parent_;
  std::string name_;
  std::shared_ptr<const Descriptor> held_;
  mutable std::mutex mutex_;
  mutable std::optional<FileId> first_;  // both under mutex_
  mutable std::weak_ptr<const Descriptor> opened_;
};

}  // namespace fugu::stream
