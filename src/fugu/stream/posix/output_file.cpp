#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <system_error>
#include <vector>

#include "fugu/stream/output_file.hpp"
#include "fugu/stream/posix/detail/file_status.hpp"
#include "fugu/stream/posix/detail/file_writer.hpp"
#include "fugu/stream/posix/detail/temporary_file.hpp"

#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000  // glibc before 2.33
#endif

namespace fugu::stream {
namespace {

namespace fs = std::filesystem;

// Fewer are as fast with write(2), and collapsing a page waits for every busy processor.
constexpr unsigned kMinThreadsForPages = 4;

// What a path is relative to.
int base_of(const OutputFileOptions& options) {
  return options.within ? options.within->descriptor() : AT_FDCWD;
}

// The status of the file called `path`; empty if there is none.
std::optional<struct stat> look_at(const fs::path& path, const OutputFileOptions& options) {
  struct stat status;
  if (::fstatat(base_of(options), path.c_str(), &status, options.within ? AT_SYMLINK_NOFOLLOW : 0) == 0)
    return status;
  if (errno == ENOENT) return std::nullopt;
  throw system_error("cannot open", errno);
}

bool is_written_directly(mode_t mode) {
  return S_ISFIFO(mode) || S_ISCHR(mode) || S_ISBLK(mode);
}

void refuse_unfit(const struct stat& target, const OutputFileOptions& options) {
  if (options.within && S_ISLNK(target.st_mode))
    throw Error(Errc::io, "is a symbolic link, which is not written through");
  if ((options.within || !options.shared_as.empty()) && is_written_directly(target.st_mode))
    throw Error(Errc::io, "exists and is not a regular file; not overwritten");
  if (S_ISDIR(target.st_mode)) throw Error(Errc::io, "is a directory");
  if (S_ISSOCK(target.st_mode)) throw Error(Errc::io, "is a socket");
  if (options.input && identity(target) == options.input)
    throw Error(Errc::io, "is the input as well; a file cannot be written over itself");
  const bool has_content = S_ISREG(target.st_mode) || S_ISBLK(target.st_mode);
  if (has_content && !options.replace) throw Error(Errc::io, "exists; not overwritten (use ⟦f⟧)");
}

std::shared_ptr<OutputDirectory> directory_for(const fs::path& file, const OutputFileOptions& options) {
  if (options.within) return options.within;
  const fs::path directory = directory_of(file);
  if (!options.shared_as.empty() && options.shared_as.parent_path() != directory)
    throw Error(Errc::io, "changed while it was opened");
  return options.directories != nullptr ? options.directories->at(directory)
                                        : std::make_shared<OutputDirectory>(directory);
}

Descriptor open_directly(const std::string& path, const struct stat& seen) {
  // No O_TRUNC and no O_CREAT: a file that takes the name meanwhile is left as it is.
  Descriptor opened(retry_interrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY); }));
  if (!opened) throw system_error("cannot open", errno);
  const struct stat status = status_of(opened.get());
  if (status.st_dev != seen.st_dev || status.st_ino != seen.st_ino)
    throw Error(Errc::io, "changed while it was opened");
  return opened;
}

// The attributes taken over are then those of the file that was checked.
Descriptor open_replaced(int directory, const std::string& path, const struct stat& seen) {
  Descriptor opened(::openat(directory, path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!opened) throw system_error("cannot open", errno);
  if (identity(status_of(opened.get())) != identity(seen))
    throw Error(Errc::io, "changed while it was opened");
  return opened;
}

void refuse_beyond_free_space(int descriptor, std::uint64_t bytes) {
  if (!has_room(descriptor, bytes))
    throw system_error("cannot reserve " + std::to_string(bytes) + " bytes", ENOSPC);
}

// rename(2) does not replace one.
void refuse_mount_point(int directory, const fs::path& file) {
  struct statx status {};
  if (::statx(directory, file.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) != 0) return;
  if ((status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0)
    throw Error(Errc::io, "is a mount point, which cannot be replaced");
}

std::size_t total_bytes(std::span<const std::span<const std::byte>> parts) {
  return std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                         [](std::size_t sum, const auto& part) { return sum + part.size(); });
}

bool is_unsupported(int error) {
  return error == EPERM || error == EOPNOTSUPP || error == ENOSYS;
}

constexpr const char* kAccessList = "system.posix_acl_access";
constexpr std::string_view kOfTheOwner = "user.";
constexpr std::size_t kMaxBytes = 65536;  // of a value and of the list of names (XATTR_SIZE_MAX)

bool is_absent(int error) {
  return error == ENODATA || error == EOPNOTSUPP || error == ENOSYS;
}

Error not_kept(const std::string& name, int error) {
  const std::string what = name == kAccessList ? "access control list" : "attribute " + name;
  return system_error("cannot keep its " + what, error);
}

std::vector<std::string> names_of(const std::string& path) {
  std::vector<char> list(kMaxBytes);
  const ssize_t bytes = ::listxattr(path.c_str(), list.data(), list.size());
  if (bytes < 0 && !is_absent(errno)) throw system_error("cannot list its attributes", errno);
  std::vector<std::string> names;
  for (ssize_t at = 0; at < bytes; at += static_cast<ssize_t>(names.back().size()) + 1)
    names.emplace_back(list.data() + at);
  return names;
}

// False when there is no such attribute.
bool copy(const std::string& path, const std::string& name, int to) {
  std::vector<char> value(kMaxBytes);
  const ssize_t bytes = ::getxattr(path.c_str(), name.c_str(), value.data(), value.size());
  if (bytes < 0 && is_absent(errno)) return false;
  if (bytes < 0 || ::fsetxattr(to, name.c_str(), value.data(), static_cast<std::size_t>(bytes), 0) != 0)
    throw not_kept(name, errno);
  return true;
}

}  // namespace

struct OutputFile::Replaced {
  mode_t mode;
  uid_t owner;
  gid_t group;
};

OutputFile::OutputFile(const std::string& path, const OutputFileOptions& options) : options_(options) {
  const std::optional<struct stat> target = look_at(path, options_);
  if (target) refuse_unfit(*target, options_);
  std::error_code none;
  if (!target && !options_.within && !options_.replace && fs::is_symlink(path, none))
    throw Error(Errc::io, "is a link to a file that does not exist; not written through (use ⟦f⟧)");
  if (target && is_written_directly(target->st_mode)) {
    direct_ = std::make_unique<Descriptor>(open_directly(path, *target));
    return;
  }
  const fs::path file = options_.within ? fs::path(path) : output_target(path);
  if (!file.has_filename()) throw Error(Errc::io, "is not a file name");
  name_ = file.filename();
  if (target) {
    // A link under /proc may refer to a file without a name: another one would be written instead.
    if (const auto named = look_at(file, options_); !named || identity(*named) != identity(*target))
      throw Error(Errc::io, "is a link to a file without a name");
    refuse_mount_point(base_of(options_), file);
    replaced_.reset(new Replaced{target->st_mode & 0777, target->st_uid, target->st_gid});
  }
  temporary_ = std::make_unique<TemporaryFile>(directory_for(file, options_), name_, options_.replace,
                                               options_.shared_as.filename());
  if (replaced_) take_over(open_replaced(base_of(options_), file, *target), options_.within ? "" : file);
  file_ = std::make_unique<FileWriter>(temporary_->descriptor());
  file_->set_holes(true);
}

OutputFile::~OutputFile() = default;

// An access control list raises the file's mode, which is then reset: no other user reads the file before it
// is complete.
void OutputFile::take_over(const Descriptor& replaced, const std::string& path) {
  copy_extended_attributes(replaced.get(), path, descriptor());
  if (::fchmod(descriptor(), 0600) != 0 && !is_unsupported(errno))
    throw system_error("cannot set permissions", errno);
}

int OutputFile::descriptor() const noexcept {
  return direct_ ? direct_->get() : temporary_->descriptor();
}

void OutputFile::write_parts(std::span<const std::span<const std::byte>> parts) {
  whole_ = false;
  if (direct_) {
    for (const std::span<const std::byte> part : parts) write_all(direct_->get(), part, &written_bytes_);
  } else {
    file_->write(parts);
    written_bytes_ += total_bytes(parts);
  }
  whole_ = true;
}

// Writes one part, on one thread.
class OutputFile::Part final : public Sink {
 public:
  Part(OutputFile& file, std::uint64_t begin)
      : file_(file), writer_(file.descriptor(), begin, file.pages_.get()) {
    writer_.set_holes(file.file_->leaves_holes());
  }

  void write(std::span<const std::byte> from) override { write_parts({&from, 1}); }

  void write_parts(std::span<const std::span<const std::byte>> parts) override {
    as_output([&] { writer_.write(parts); });
    file_.bytes_of_parts_ += total_bytes(parts);
  }

 private:
  OutputFile& file_;
  FileWriter writer_;
};

bool OutputFile::begin_parts(std::uint64_t bytes) {
  if (direct_ || options_.threads < 2 || !is_in_memory(descriptor())) return false;
  if (options_.threads >= kMinThreadsForPages)
    pages_ = std::make_unique<HugePages>(descriptor(), file_->position() + bytes);
  return true;
}

std::unique_ptr<Sink> OutputFile::part(std::uint64_t offset) {
  return std::make_unique<Part>(*this, file_->position() + offset);
}

void OutputFile::advance(std::uint64_t bytes) {
  if (bytes_of_parts_ != bytes) throw Error(Errc::io, "is incomplete: a part of it was not written");
  bytes_of_parts_ = 0;
  pages_.reset();
  file_->skip(bytes);
  written_bytes_ += bytes;
}

void OutputFile::commit() {
  if (!whole_ || bytes_of_parts_ != 0) throw Error(Errc::io, "is incomplete: a write failed");
  if (direct_) return commit_directly();
  set_length();
  set_permissions();
  set_time();
  temporary_->publish(options_.in_place);
  temporary_.reset();
}

bool OutputFile::has_its_name() const noexcept {
  return !direct_ && (temporary_ == nullptr || temporary_->published());
}

void OutputFile::commit_directly() {
  // EINVAL: pipes and most character devices have nothing to sync.
  if (retry_interrupted([&] { return ::fsync(descriptor()); }) != 0 && errno != EINVAL)
    throw system_error("sync failed", errno);
  direct_->close_checked();
}

// fallocate() on a file system in memory allocates every page at once, before any work: as long as a third of
// a copy. There only the free space is checked.
void OutputFile::reserve(std::uint64_t bytes) {
  if (direct_ || bytes == 0) return;
  file_->set_holes(false);
  reserved_bytes_ = bytes;
  if (is_in_memory(descriptor())) return refuse_beyond_free_space(descriptor(), bytes);
  const auto length = static_cast<off_t>(bytes);
  if (retry_interrupted([&] { return ::fallocate(descriptor(), FALLOC_FL_KEEP_SIZE, 0, length); }) == 0)
    return;
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO)
    throw system_error("cannot reserve " + std::to_string(bytes) + " bytes", errno);
}

// Frees space that was reserved in vain, cuts what another process wrote, or extends the file by the hole at
// its end.
void OutputFile::set_length() {
  const bool too_long = reserved_bytes_ > written_bytes_;
  if (!too_long && options_.shared_as.empty() && !file_->needs_length()) return;
  const auto length = static_cast<off_t>(written_bytes_);
  if (retry_interrupted([&] { return ::ftruncate(descriptor(), length); }) != 0)
    throw system_error("truncate failed", errno);
}

// The permissions that the other file grants to an output of this group.
mode_t OutputFile::mode_like(gid_t group) const {
  mode_t mode = options_.like->permissions;
  if (options_.like->group != group) mode &= 0707 | (mode & 07) << 3;
  return mode;
}

mode_t OutputFile::replaced_mode(const struct stat& now) const {
  mode_t mode = replaced_->mode;
  if (options_.like) mode &= mode_like(replaced_->group);
  const bool same_owners = now.st_uid == replaced_->owner && now.st_gid == replaced_->group;
  if (same_owners || ::fchown(descriptor(), replaced_->owner, replaced_->group) == 0) return mode;
  return mode & 0700;
}

void OutputFile::set_time() {
  if (!options_.like || !options_.like->modified) return;
  const timespec times[] = {{0, UTIME_OMIT}, *options_.like->modified};
  if (::futimens(descriptor(), times) != 0 && !is_unsupported(errno))
    throw system_error("cannot set the time of change", errno);
}

void OutputFile::set_permissions() {
  const struct stat now = status_of(descriptor());
  mode_t mode = temporary_->permitted() & (options_.like ? mode_like(now.st_gid) : 0666);
  if (replaced_) mode = replaced_mode(now);
  if (::fchmod(descriptor(), mode) != 0 && !is_unsupported(errno))
    throw system_error("cannot set permissions", errno);
}

void copy_extended_attributes(int from, const std::string& path_of_from, int to) {
  const std::string link = "/proc/self/fd/" + std::to_string(from);
  const std::string& path = ::access(link.c_str(), F_OK) == 0 ? link : path_of_from;
  if (path.empty()) throw Error(Errc::io, "cannot list its attributes: /proc is not mounted");
  for (const std::string& name : names_of(path))
    if (name.starts_with(kOfTheOwner)) copy(path, name, to);
  if (copy(path, kAccessList, to)) return;
  // The directory's default list may have set one.
  if (::fremovexattr(to, kAccessList) != 0 && !is_absent(errno)) throw not_kept(kAccessList, errno);
}

}  // namespace fugu::stream
