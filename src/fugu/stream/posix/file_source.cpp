// Files and descriptors as sources.
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "fugu/stream/posix/descriptor.hpp"
#include "fugu/stream/posix/detail/file_status.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::stream {
namespace {

static_assert(sizeof(off_t) == 8, "offsets beyond 2^31 need a 64-bit off_t");

// Smaller reads are not worth sharing.
constexpr std::size_t kMinSharedBytes = std::size_t{2} << 20;

// One thread copies from the page cache more slowly than the output is written; four do not.
unsigned readers(unsigned threads) {
  return std::clamp(threads / 4, 1u, 4u);
}

class DescriptorSource final : public Source {
 public:
  DescriptorSource(int borrowed, unsigned threads)
      : descriptor_(borrowed), pool_(readers(threads)), status_(status_of(borrowed)) {
    if (S_ISDIR(status_.st_mode)) throw Error(Errc::io, "is a directory");
    if (S_ISREG(status_.st_mode)) {
      begin_ = std::max<off_t>(0, ::lseek(descriptor_, 0, SEEK_CUR));
      ::posix_fadvise(descriptor_, begin_, 0, POSIX_FADV_SEQUENTIAL);  // a hint: a refusal changes nothing
    } else {
      cancelled_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
      if (!cancelled_) throw system_error("cannot prepare reading", errno);
    }
  }

  // `directory` as in open_regular().
  DescriptorSource(Descriptor owned, std::shared_ptr<const Descriptor> directory, const std::string& path,
                   unsigned threads)
      : DescriptorSource(owned.get(), threads) {
    owned_ = std::move(owned);
    directory_ = std::move(directory);
    path_ = path;
  }

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t shared = is_shared_out(into.size()) ? read_shared(into) : 0;
    return shared + read_alone(into.subspan(shared));
  }

  std::optional<std::uint64_t> size_bytes() const override {
    if (!S_ISREG(status_.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(std::max<off_t>(0, status_.st_size - begin_));
  }

  bool read_at(std::span<std::byte> into, std::uint64_t offset) override {
    if (!S_ISREG(status_.st_mode)) return false;
    if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max() - begin_)) return false;
    return copy_from(into, begin_ + static_cast<off_t>(offset));
  }

  std::optional<std::uint64_t> offset() override {
    if (!S_ISREG(status_.st_mode)) return std::nullopt;
    const off_t now = ::lseek(descriptor_, 0, SEEK_CUR);
    if (now < begin_) return std::nullopt;
    return static_cast<std::uint64_t>(now - begin_);
  }

  void advance(std::uint64_t bytes) override {
    if (::lseek(descriptor_, static_cast<off_t>(bytes), SEEK_CUR) < 0)
      throw system_error("seek failed", errno);
  }

  std::optional<FileId> file_id() const override { return identity(status_); }

  std::optional<FileAttributes> attributes() const override {
    if (!owned_ || !S_ISREG(status_.st_mode)) return std::nullopt;
    return attributes_of(descriptor_, status_);
  }

  std::unique_ptr<Source> companion(std::string_view extension) const override;

  void cancel() noexcept override {
    if (cancelled_) ::eventfd_write(cancelled_.get(), 1);
  }

 private:
  bool copy_from(std::span<std::byte> into, off_t offset) {
    while (!into.empty()) {
      const ssize_t got =
          retry_interrupted([&] { return ::pread(descriptor_, into.data(), into.size(), offset); });
      if (got < 0) throw system_error("read failed", errno);
      if (got == 0) return false;  // it shrank meanwhile
      into = into.subspan(static_cast<std::size_t>(got));
      offset += got;
    }
    return true;
  }

  bool is_shared_out(std::size_t bytes) const {
    return pool_.threads() > 1 && S_ISREG(status_.st_mode) && bytes >= kMinSharedBytes;
  }

  std::size_t read_alone(std::span<std::byte> into) {
    std::size_t filled = 0;
    // A terminal's end must be read only once: reading on would wait for a second one.
    while (filled < into.size() && !ended_) {
      if (cancelled_) wait_for(descriptor_, POLLIN, cancelled_.get());
      const std::size_t got = read_some(descriptor_, into.subspan(filled));
      ended_ = got == 0;
      filled += got;
    }
    return filled;
  }

  // Reads as much as the file was long enough for when it was opened, or nothing if it has shrunk since:
  // reading on from there finds the current end.
  std::size_t read_shared(std::span<std::byte> into) {
    const off_t from = ::lseek(descriptor_, 0, SEEK_CUR);
    if (from < 0 || from >= status_.st_size) return 0;
    const auto bytes = std::min(into.size(), static_cast<std::size_t>(status_.st_size - from));
    std::atomic<bool> whole = true;
    constexpr std::size_t kBytesAtATime = std::size_t{1} << 20;
    pool_.for_ranges(bytes, kBytesAtATime, [&](std::size_t first, std::size_t last) {
      if (!copy_from(into.subspan(first, last - first), from + static_cast<off_t>(first))) whole = false;
    });
    if (!whole || ::lseek(descriptor_, static_cast<off_t>(bytes), SEEK_CUR) < 0) return 0;
    return bytes;
  }

  Descriptor owned_;  // empty when borrowed
  std::shared_ptr<const Descriptor> directory_;
  std::string path_;  // the path of the owned source in the directory
  int descriptor_;
  threads::ThreadPool pool_;  // its threads read
  struct stat status_;
  off_t begin_ = 0;
  Descriptor
      // readable once cancelled; only for inputs that can wait: pipes, terminals, sockets, devices
      cancelled_;
  bool ended_ = false;
};

// What a path is relative to.
int base_of(const std::shared_ptr<const Descriptor>& directory) {
  return directory ? directory->get() : AT_FDCWD;
}

Descriptor open_to_read(int directory, const std::string& path, int flags) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY;
  Descriptor file(retry_interrupted([&] { return ::openat(directory, path.c_str(), kFlags | flags); }));
  if (!file) throw system_error("cannot open", errno);
  return file;
}

void require_regular(const struct stat& status, Errc otherwise) {
  if (S_ISDIR(status.st_mode)) throw Error(Errc::io, "is a directory");
  if (S_ISLNK(status.st_mode)) throw Error(Errc::io, "is a symbolic link, which is not followed");
  if (!S_ISREG(status.st_mode)) throw Error(otherwise, "is not a regular file");
}

// A path without a directory is followed through links.
std::unique_ptr<Source> open_regular(std::shared_ptr<const Descriptor> directory, const std::string& path,
                                     unsigned threads) {
  const int base = base_of(directory);
  const Errc otherwise = directory ? Errc::io : Errc::usage;
  struct stat status;
  if (::fstatat(base, path.c_str(), &status, directory ? AT_SYMLINK_NOFOLLOW : 0) != 0)
    throw system_error("cannot open", errno);
  require_regular(status, otherwise);  // opening a device can have side effects
  Descriptor file = open_to_read(base, path, O_NONBLOCK | (directory ? O_NOFOLLOW : 0));
  require_regular(status_of(file.get()), otherwise);
  return std::make_unique<DescriptorSource>(std::move(file), std::move(directory), path, threads);
}

std::unique_ptr<Source> DescriptorSource::companion(std::string_view extension) const {
  if (path_.empty()) return nullptr;
  const std::string beside = std::filesystem::path(path_).replace_extension(extension).string();
  struct stat status;
  if (::fstatat(base_of(directory_), beside.c_str(), &status, directory_ ? AT_SYMLINK_NOFOLLOW : 0) != 0 &&
      (errno == ENOENT || errno == ENOTDIR))
    return nullptr;
  return open_regular(directory_, beside, 1);
}

}  // namespace

std::unique_ptr<Source> open_file(const std::string& path, unsigned threads) {
  return std::make_unique<DescriptorSource>(open_to_read(AT_FDCWD, path, 0), nullptr, path, threads);
}

std::unique_ptr<Source> open_regular_file(const std::string& path, unsigned threads) {
  return open_regular(nullptr, path, threads);
}

std::unique_ptr<Source> open_regular_file(std::shared_ptr<const Descriptor> directory,
                                          const std::string& name, unsigned threads) {
  return open_regular(std::move(directory), name, threads);
}

std::unique_ptr<Source> from_descriptor(int descriptor, unsigned threads) {
  return std::make_unique<DescriptorSource>(descriptor, threads);
}

std::optional<FileId> file_id_of(int descriptor) {
  return identity(status_of(descriptor));
}

}  // namespace fugu::stream
