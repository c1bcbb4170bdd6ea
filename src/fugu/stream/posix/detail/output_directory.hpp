// A directory for outputs: opened once, and probed once for all of them. Thread-safe. Private to platform.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "fugu/stream/posix/descriptor.hpp"

namespace fugu::stream {

// The directory that holds `file`.
inline std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

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

}  // namespace fugu::stream
