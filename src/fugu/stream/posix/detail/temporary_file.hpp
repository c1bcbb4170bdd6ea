// A hidden file that either gets its final name in one step or disappears. Private to stream.
//
// Until then it is unnamed if the file system allows that: even kill -9 leaves nothing. Otherwise, and for
// the moment in which it replaces another file, its name is derived from the target's and ends in 64 random
// bits. Every live one is in a registry of fixed slots of lock-free atomics, so that a signal handler can
// remove it; because of the random bits a stale slot can never name another file.
#pragma once

#include <sys/types.h>

#include <condition_variable>

#include "fugu/stream/output_file.hpp"
#include "fugu/stream/posix/descriptor.hpp"

namespace fugu::stream {

// The directory that holds `file`.
inline std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

// A directory for outputs: opened once, and probed once for all of them. Thread-safe.
class OutputDirectory {
 public:
  // Throws Error{io}.
  explicit OutputDirectory(const std::filesystem::path& path);

  explicit OutputDirectory(std::shared_ptr<const Descriptor> opened) : opened_(std::move(opened)) {}

  const std::shared_ptr<const Descriptor>& opened() const noexcept { return opened_; }
  int descriptor() const noexcept { return opened_->get(); }

  // The permissions that new files may have here: 0777 less the umask, or by the default ACL. Empty until
  // probed.
  std::optional<mode_t> permitted() const noexcept;
  void set_permitted(mode_t mode) noexcept { permitted_ = static_cast<int>(mode); }

  // Whether files can be created unnamed here and named in the end.
  bool names_later() const noexcept { return names_later_; }
  void set_names_later() noexcept { names_later_ = true; }

  // The file system is known to support naming without replacing.
  bool refuses() const noexcept { return refuses_; }
  void set_refuses() noexcept { refuses_ = true; }

  // Returns once all names given before the call are on the disk. One sync serves all waiting callers. Throws
  // Error{io}.
  void sync();

 private:
  std::shared_ptr<const Descriptor> opened_;
  std::atomic<int> permitted_ = -1;
  std::atomic<bool> names_later_ = false;
  std::atomic<bool> refuses_ = false;

  std::mutex mutex_;
  std::condition_variable ended_one_;
  std::uint64_t begun_ = 0;  // syncs; all under mutex_
  std::uint64_t ended_ = 0;
  std::uint64_t failed_ = 0;  // the last sync done, with error_
  int error_ = 0;
};

class TemporaryFile {
 public:
  // Creates an empty file of mode 0600 in `directory`, to be named `target` later. `own_name`: its name while
  // it is written, if other processes write it too. Throws Error{io}, also if `replace` is not set and the
  // file system cannot refuse to replace; Error{interrupted} once unlink_temporaries() has run.
  TemporaryFile(std::shared_ptr<OutputDirectory> directory, std::string target, bool replace,
                const std::string& own_name = {});
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const noexcept { return file_.get(); }

  // As OutputDirectory::permitted().
  mode_t permitted() const noexcept { return permitted_; }

  // Syncs the file, closes it, gives it its target's name and syncs the directory. Without `replace`, throws
  // Error{io} if the name exists by now, and leaves that file alone; the same for another file than that of
  // `in_place`.
  void publish(const std::optional<InPlace>& in_place);

  // The file has its name, even if publish() threw when syncing the directory.
  bool published() const noexcept { return published_; }

 private:
  void create(const std::string& name);
  void try_out(const char* name) const;
  void create_named(const char* name);
  bool can_name_later(const char* name) const;
  void remove(const char* name) const;
  void require_refusal(const char* probe) const;
  void close_copy() const;
  void link_to_target(const std::optional<InPlace>& in_place);
  void replace_target(const std::optional<InPlace>& in_place);
  void rename_to_target(const std::optional<InPlace>& in_place);
  bool replace_only(const FileId& file, const char* own);

  std::shared_ptr<OutputDirectory> directory_;
  std::string target_;
  bool replace_;
  Descriptor file_;
  bool named_;  // while it is written
  mode_t permitted_ = 0600;
  bool published_ = false;
  std::size_t slot_ = 0;
};

// Replaces the file called `name` by a symbolic link to `target`, in one step. Throws as the class does.
void replace_with_link(int directory, const std::string& name, const std::string& target);

}  // namespace fugu::stream
