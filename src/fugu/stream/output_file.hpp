// The one class that writes output files.
//
// Bytes go to a temporary file in the target's directory, mode 0600, which is unnamed where the file system
// allows it, and otherwise has a name derived from its target. commit() checks everything, syncs, gives it
// the final name in one step and syncs the directory. Without commit() the temporary file disappears and the
// final name is as it was. An existing target is refused unless `replace` is set, even if it appears while we
// write.
//
// What happens depends on the target's type:
// - no such name: a new file. Made from another file (`like`), it has that file's permissions less what the
//   umask or the directory's default ACL forbids, and never set-user-ID or the like; a different group gets
//   only the permissions of others. Otherwise 0666, less the same.
// - a file: with `replace`, a new file with the same access control list, user.* attributes and, if that is
//   allowed, owner and group; if not, the group and others get no permission. Its permissions are those that
//   both the old file and the other file (`like`) grant. Refused where the list or an attribute cannot be
//   kept, and for a mount point.
// - a symbolic link: the target is the file it points to, which with `replace` need not exist; the link
// stays.
// - a FIFO or character device: written directly, `replace` or not, as a shell's > would. There is nothing to
//   lose, and /dev/null must not be replaced by a file.
// - a block device: written directly with `replace`, refused without.
// - a directory or socket: refused.
//
// Blocks of zeros become holes, unless space was reserved for them.
#pragma once

#include <atomic>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <variant>

#include "fugu/stream/sink.hpp"

struct stat;  // the system's

namespace fugu::stream {

class Descriptor;
class FileWriter;
class HugePages;
class OutputDirectory;
class TemporaryFile;
class WalkedDirectory;

// The directories of many outputs: each is opened and probed once, and outputs that are committed at the same
// time share one sync of it. They outlive the outputs that name them. The process must not change its umask
// meanwhile. Thread-safe.
class FUGU_EXPORT OutputDirectories {
 public:
  OutputDirectories();
  ~OutputDirectories();
  OutputDirectories(const OutputDirectories&) = delete;
  OutputDirectories& operator=(const OutputDirectories&) = delete;

  // Throws Error{io}.
  std::shared_ptr<OutputDirectory> at(const std::filesystem::path& path);
  std::shared_ptr<OutputDirectory> at(const std::shared_ptr<const WalkedDirectory>& found);

 private:
  struct Kept {
    std::variant<std::filesystem::path, std::shared_ptr<const WalkedDirectory>> place;
    std::shared_ptr<OutputDirectory> directory;
  };

  template <class Place, class Open>
  std::shared_ptr<OutputDirectory> kept(const Place& place, Open open);

  std::mutex mutex_;
  std::deque<Kept> kept_;  // the latest first
};

// The one file that may be replaced, for as long as `look` does not throw: it is called after the sync, which
// can take minutes. A file that takes its name even later keeps it, where the file system can exchange names.
struct InPlace {
  FileId file;
  std::function<void()> look;
};

struct OutputFileOptions {
  bool replace = false;  // -f

  // The input: the target must not be the same file under any name.
  std::optional<FileId> input = {};

  // The file whose permissions a new file gets and, if set, whose modification time.
  std::optional<FileAttributes> like = {};

  // The threads that the program may use in total: several may write parts of a file kept in memory.
  unsigned threads = 1;

  // The directory for the file, whose path is then a name in it. Refuses symbolic links and targets that are
  // written directly: only a file is created.
  std::shared_ptr<OutputDirectory> within = {};

  // For programs that write many files.
  OutputDirectories* directories = nullptr;

  // For an output that replaces its own input.
  std::optional<InPlace> in_place = {};

  // From shared_temporary_path(): other processes write it too, under this path. Only a file is created.
  std::filesystem::path shared_as = {};
};

class FUGU_EXPORT OutputFile final : public Sink {
 public:
  // Throws Error{io}. Every reason to refuse the target is found here, except changes that others make later.
  OutputFile(const std::string& path, const OutputFileOptions& options);
  ~OutputFile() override;

  // Reserves space, so that a full disk is noticed before the work. Call it before anything is written. Has
  // no effect for 0 bytes and for targets written directly. Throws Error{io}.
  void reserve(std::uint64_t bytes);

  void write(std::span<const std::byte> from) override { write_parts({&from, 1}); }
  void write_parts(std::span<const std::span<const std::byte>> parts) override;

  // For files kept in memory, if several threads may write. Parts throw OutputError.
  bool begin_parts(std::uint64_t bytes) override;
  std::unique_ptr<Sink> part(std::uint64_t offset) override;
  void advance(std::uint64_t bytes) override;

  // Throws Error{io}: the final name is then as before, unless only the last step, the directory's sync,
  // failed. Nothing may be written after it, and nothing is committed after a failed write.
  void commit();

  // The final length of a shared output, of which nothing is written here.
  void set_shared_bytes(std::uint64_t bytes) noexcept { written_bytes_ = bytes; }

  // Whether the target is written directly, or is a file that commit() replaces.
  bool is_direct() const noexcept { return direct_ != nullptr; }
  bool replaces() const noexcept { return replaced_ != nullptr; }

  // The bytes that reached a target written directly, even if the rest failed.
  std::uint64_t written_bytes() const noexcept { return written_bytes_; }

  // Whether the final name is that of the complete output: after commit(), even if its last step failed.
  bool has_its_name() const noexcept;

 private:
  struct Replaced;
  class Part;

  void take_over(const Descriptor& replaced, const std::string& path);
  void commit_directly();
  void set_length();
  void set_permissions();
  void set_time();
  std::uint32_t mode_like(std::uint32_t group) const;
  std::uint32_t replaced_mode(const struct stat& now) const;
  int descriptor() const noexcept;

  OutputFileOptions options_;
  std::string name_;                          // in the temporary file's directory
  std::unique_ptr<Replaced> replaced_;        // the file that will be replaced
  std::unique_ptr<TemporaryFile> temporary_;  // empty for targets written directly
  std::unique_ptr<Descriptor> direct_;
  std::unique_ptr<FileWriter> file_;  // writes the temporary file, with holes if no space was reserved
  std::unique_ptr<HugePages> pages_;  // of the parts
  std::uint64_t reserved_bytes_ = 0;
  std::uint64_t written_bytes_ = 0;
  std::atomic<std::uint64_t> bytes_of_parts_ = 0;  // written by parts beyond the write position
  bool whole_ = true;
};

}  // namespace fugu::stream
