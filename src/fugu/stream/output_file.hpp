// The one class that writes output files.
//
// Bytes go to a temporary file in the target's directory, mode 0600, which has no name where the file system
// can do that, and otherwise one that tells its target. commit() checks everything, syncs, gives it the final
// name in one step and syncs the directory. Without commit() the temporary file disappears and the final name
// is as it was. An existing target is refused unless `replace` is set, also when it appears
// while we write.
//
// What happens depends on the target's type:
// - nothing there: a new file. Made from another file (`like`), it has that one's permissions less what the
//   umask or the directory's default ACL forbids, and never set-user-ID or the like; the group gets only what
//   all get when it is another group than that file's. Otherwise 0666, less the same.
// - a file: with `replace`, a new file of the same access control list, user.* attributes and, where that is
//   allowed, owner and group; where it is not, the group and others get no permission. Its permissions are
//   the old file's less what the other file (`like`) does not give: whoever was shut out of either is shut
//   out of the new one. Refused where the list or an attribute cannot be kept, and for a mount point.
// - a symbolic link: what it points to, which need not exist, is the target. The link stays.
// - a FIFO or character device: written directly, `replace` or not, as a shell's > would. There is nothing to
//   lose, and nobody wants /dev/null renamed over.
// - a block device: written directly with `replace`, refused without.
// - a directory or socket: refused.
//
// Blocks of zeros become holes, unless space was reserved for them.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "fugu/export.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::stream {

class Descriptor;
class FileWriter;
class HoleWriter;
class OutputDirectory;
class TemporaryFile;

// The directories of many outputs: each is opened and tried out once, and outputs that are committed at the
// same time share one sync of it. They outlive the outputs that name them. Not for a process that changes its
// umask meanwhile. Thread-safe.
class FUGU_EXPORT OutputDirectories {
 public:
  OutputDirectories();
  ~OutputDirectories();
  OutputDirectories(const OutputDirectories&) = delete;
  OutputDirectories& operator=(const OutputDirectories&) = delete;

  // Throws Error{io}.
  std::shared_ptr<OutputDirectory> at(const std::filesystem::path& path);

 private:
  struct Kept {
    std::filesystem::path path;
    std::shared_ptr<OutputDirectory> directory;
  };

  std::mutex mutex_;
  std::deque<Kept> kept_;  // the latest first
};

struct OutputFileOptions {
  bool replace = false;  // -f

  // The input: the target must not be the same file, through whatever name.
  std::optional<FileId> input = {};

  // The file whose permissions a new file gets, and whose time of change, if set, the output gets.
  std::optional<FileAttributes> like = {};

  // Reserved early, so that a full disk shows before the work.
  std::optional<std::uint64_t> expected_bytes = {};

  // What the program may use in all; of many, several write a file that is kept in memory.
  unsigned threads = 1;

  // false: a symbolic link is refused, and so is a target that is written directly: only a file is made.
  bool follow_links = true;

  // For programs that write many files.
  OutputDirectories* directories = nullptr;

  // Other processes write it too, under temporary_path(): the temporary file has a name. Only a file is made.
  bool shared = false;
};

class FUGU_EXPORT OutputFile final : public Sink {
 public:
  // Throws Error{io}. Nothing the target refuses for is found out later than here, except what others do
  // meanwhile.
  OutputFile(const std::string& path, const OutputFileOptions& options);
  ~OutputFile() override;

  void write(std::span<const std::byte> from) override { write_parts({&from, 1}); }
  void write_parts(std::span<const std::span<const std::byte>> parts) override;

  // Throws Error{io}: the final name is then as it was, unless only the last step, the directory's sync,
  // failed. Nothing may be written after it, and nothing is committed after a write that failed.
  void commit();

  // Of an output that is shared: its path until commit(), and before that how long it is in the end, nothing
  // being written here.
  std::filesystem::path temporary_path() const;
  void set_shared_bytes(std::uint64_t bytes) noexcept { written_bytes_ = bytes; }

  // What reached a target that is written directly, also when the rest failed.
  std::uint64_t written_bytes() const noexcept { return written_bytes_; }

  // The final name is that of the whole output: after commit(), and after one that failed in its last step.
  bool has_its_name() const noexcept;

 private:
  struct Replaced;

  void take_over(const Descriptor& replaced, const std::string& path);
  void commit_directly();
  void reserve(std::uint64_t bytes);
  void set_length();
  void set_permissions();
  void set_time();
  mode_t mode_like(gid_t group) const;
  mode_t replaced_mode(const struct stat& now) const;
  int descriptor() const noexcept;

  OutputFileOptions options_;
  std::filesystem::path directory_;           // of the temporary file
  std::string name_;                          // in the temporary file's directory
  std::unique_ptr<Replaced> replaced_;        // the file that will be replaced
  std::unique_ptr<TemporaryFile> temporary_;  // empty for targets written directly
  std::unique_ptr<Descriptor> direct_;
  std::unique_ptr<FileWriter> file_;   // of the temporary file
  std::unique_ptr<HoleWriter> holes_;  // where no space was reserved
  std::uint64_t written_bytes_ = 0;
  bool whole_ = true;
};

// The name that an output of the name `path` gets or replaces in the end, through symbolic links, whether or
// not a file has it. Throws Error{io} for links in a circle.
FUGU_EXPORT std::filesystem::path output_target(std::filesystem::path path);

// A file that another process makes and names: until this dies, unlink_temporaries() removes it too, should
// it be there. For those that write a shared output.
class FUGU_EXPORT ForeignTemporary {
 public:
  // Throws Error{io}.
  explicit ForeignTemporary(const std::filesystem::path& path);
  ~ForeignTemporary();
  ForeignTemporary(const ForeignTemporary&) = delete;
  ForeignTemporary& operator=(const ForeignTemporary&) = delete;

 private:
  std::shared_ptr<OutputDirectory> directory_;
  std::size_t slot_ = 0;
};

// Async-signal-safe: unlinks the temporary files of every live OutputFile of this process. For signal
// handlers that then exit: no OutputFile can be made afterwards.
FUGU_EXPORT void unlink_temporaries() noexcept;

}  // namespace fugu::stream
