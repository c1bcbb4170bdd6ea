// Directories: of trees that are read and written without following links out of them, and of outputs.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "fugu/stream/posix/detail/file_status.hpp"
#include "fugu/stream/posix/detail/temporary_file.hpp"
#include "fugu/stream/posix/walked_directory.hpp"
#include "fugu/stream/tree.hpp"

namespace fugu::stream {
namespace {

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

// The directory called `name` in another; empty, with errno, if it cannot be opened or is a link.
Descriptor open_below(int directory, const std::string& name) noexcept {
  return Descriptor(
      retry_interrupted([&] { return ::openat(directory, name.c_str(), kDirectoryFlags | O_NOFOLLOW); }));
}

// `opened` if it is a directory. Throws Error{io} otherwise, with the reason in errno.
Descriptor require_directory(Descriptor opened) {
  if (!opened && (errno == ELOOP || errno == ENOTDIR))
    throw Error(Errc::io, "exists and is not a directory; not overwritten");
  if (!opened) throw system_error("cannot open its directory", errno);
  return opened;
}

// Creates the directory called `name` in another. False if something of that name exists. Throws Error{io}.
bool make_below(int directory, const std::string& name, mode_t mode) {
  if (::mkdirat(directory, name.c_str(), mode) == 0) return true;
  if (errno != EEXIST) throw system_error("cannot create a directory", errno);
  return false;
}

// The directories of one tree, opened by their names from its top and never through a link.
class TreeDirectories {
 public:
  // `failure`: what the error says of a directory that cannot be opened.
  TreeDirectories(std::shared_ptr<const Descriptor> top, const char* failure)
      : top_(std::move(top)), failure_(failure), last_(top_) {}

  const Descriptor& top() const noexcept { return *top_; }

  // Keeps the last one open for the next call. Throws Error{io}.
  std::shared_ptr<const Descriptor> at(const TreePath& directory) {
    if (directory == last_path_) return last_;
    std::shared_ptr<const Descriptor> opened = top_;
    for (const std::string& name : directory) {
      Descriptor below = open_below(opened->get(), name);
      if (!below) throw system_error(failure_, errno);
      opened = std::make_shared<const Descriptor>(std::move(below));
    }
    last_ = std::move(opened);
    last_path_ = directory;
    return last_;
  }

  std::shared_ptr<const Descriptor> parent_of(const TreePath& path) {
    return at({path.begin(), path.end() - 1});
  }

 private:
  std::shared_ptr<const Descriptor> top_;
  const char* failure_;
  TreePath last_path_;
  std::shared_ptr<const Descriptor> last_;
};

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};

TreeEntryKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return TreeEntryKind::file;
  if (S_ISDIR(mode)) return TreeEntryKind::directory;
  return S_ISLNK(mode) ? TreeEntryKind::link : TreeEntryKind::other;
}

// Empty if there is no such entry any more.
std::optional<TreeEntry> entry_of(int directory, const std::string& name) {
  struct stat status;
  if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
    return TreeEntry{name, kind_of(status.st_mode)};
  if (errno == ENOENT) return std::nullopt;
  return TreeEntry{name, TreeEntryKind::other, system_error("cannot open", errno)};
}

// With a copy of the descriptor, which has the same read position.
std::unique_ptr<DIR, CloseDirectory> open_list(const Descriptor& directory) {
  Descriptor copy(::fcntl(directory.get(), F_DUPFD_CLOEXEC, 0));
  if (copy && ::lseek(copy.get(), 0, SEEK_SET) != 0) throw system_error("cannot open", errno);
  std::unique_ptr<DIR, CloseDirectory> opened(copy ? ::fdopendir(copy.get()) : nullptr);
  if (!opened) throw system_error("cannot open", errno);
  copy.release();
  return opened;
}

class Directory final : public TreeSource {
 public:
  Directory(std::shared_ptr<const Descriptor> top, unsigned threads)
      : directories_(std::move(top), "cannot open"), threads_(threads) {}

  TreeListing list(const TreePath& directory) override { return stream::list(*directories_.at(directory)); }

  FileAttributes attributes(const TreePath& directory) override {
    struct stat status;
    const int failure = directory.empty() ? ::fstat(directories_.top().get(), &status)
                                          : ::fstatat(directories_.parent_of(directory)->get(),
                                                      directory.back().c_str(), &status, AT_SYMLINK_NOFOLLOW);
    if (failure != 0) throw system_error("cannot open", errno);
    if (!S_ISDIR(status.st_mode)) throw Error(Errc::io, "is not a directory");
    return {.permissions = status.st_mode & 0777, .group = status.st_gid, .modified = status.st_mtim};
  }

  std::unique_ptr<Source> open(const TreePath& file) override {
    return open_regular_file(directories_.parent_of(file), file.back(), threads_);
  }

  std::string link_target(const TreePath& link) override {
    std::array<char, PATH_MAX> target;
    const ssize_t bytes =
        ::readlinkat(directories_.parent_of(link)->get(), link.back().c_str(), target.data(), target.size());
    if (bytes < 0) throw system_error("cannot read a link", errno);
    return {target.data(), static_cast<std::size_t>(bytes)};
  }

 private:
  TreeDirectories directories_;
  unsigned threads_;
};

void require_names(const TreePath& path) {
  for (const std::string& name : path)
    if (!is_tree_name(name)) throw Error(Errc::io, "a name leads out of its directory");
}

class OutputTree final : public TreeSink {
 public:
  OutputTree(std::string top, OutputTreeOptions options)
      : top_(std::move(top)), options_(std::move(options)) {
    while (top_.size() > 1 && top_.ends_with('/')) top_.pop_back();  // with a slash, a link is followed
  }

  // The owner may write to it while it is being filled.
  void make_directory(const TreePath& path, const FileAttributes& like) override {
    require_names(path);
    const mode_t mode = like.permissions | 0700;
    if (path.empty()) return make_top(mode);
    const std::shared_ptr<const Descriptor> parent = tree().parent_of(path);
    make_below(parent->get(), path.back(), mode);
    require_directory(open_below(parent->get(), path.back()));
  }

  void make_file(const TreePath& path, const std::optional<FileAttributes>& like,
                 const std::function<void(Sink&)>& write) override {
    require_names(path);
    OutputFile file(path.back(), {.replace = options_.replace,
                                  .like = like,
                                  .threads = options_.threads,
                                  .within = output_directory(tree().parent_of(path))});
    write(file);
    file.commit();
  }

  void make_link(const TreePath& path, const std::string& target) override {
    require_names(path);
    if (!stays_inside(path, target)) throw Error(Errc::io, "a link leads out of its directory");
    const std::shared_ptr<const Descriptor> parent = tree().parent_of(path);
    if (options_.replace) return replace_with_link(parent->get(), path.back(), target);
    if (::symlinkat(target.c_str(), parent->get(), path.back().c_str()) == 0) return;
    if (errno == EEXIST) throw Error(Errc::io, "exists; not overwritten (use ⟦f⟧)");
    throw system_error("cannot create a link", errno);
  }

 private:
  void make_top(mode_t mode) {
    if (!tree_) open_top(make_below(base(), top_, mode));
  }

  // Opens the top at the first call.
  TreeDirectories& tree() {
    if (!tree_) open_top(false);
    return *tree_;
  }

  // A link is followed only for an existing top that the user has named.
  void open_top(bool is_new) {
    Descriptor top = is_new || options_.within ? open_below(base(), top_)
                                               : Descriptor(::open(top_.c_str(), kDirectoryFlags));
    tree_.emplace(std::make_shared<const Descriptor>(require_directory(std::move(top))),
                  "cannot open its directory");
  }

  int base() {
    if (options_.within && !base_) base_ = options_.within();
    return base_ ? base_->get() : AT_FDCWD;
  }

  // Kept for the next file of the directory.
  std::shared_ptr<OutputDirectory> output_directory(std::shared_ptr<const Descriptor> opened) {
    if (!output_ || output_->opened() != opened)
      output_ = std::make_shared<OutputDirectory>(std::move(opened));
    return output_;
  }

  std::string top_;
  OutputTreeOptions options_;
  std::shared_ptr<const Descriptor> base_;  // of the top
  std::optional<TreeDirectories> tree_;
  std::shared_ptr<OutputDirectory> output_;
};

[[noreturn]] void refuse_replaced() {
  throw Error(Errc::io, "a directory on its path was replaced meanwhile");
}

}  // namespace

TreeListing list(const Descriptor& directory) {
  const std::unique_ptr<DIR, CloseDirectory> opened = open_list(directory);
  TreeListing listing;
  errno = 0;
  for (const dirent* read = ::readdir(opened.get()); read != nullptr; read = ::readdir(opened.get())) {
    const std::string name = read->d_name;
    if (is_tree_name(name))
      if (auto entry = entry_of(directory.get(), name)) listing.entries.push_back(std::move(*entry));
    errno = 0;
  }
  if (errno != 0) listing.problem = system_error("read failed", errno);
  std::ranges::sort(listing.entries, {}, &TreeEntry::name);
  return listing;
}

std::unique_ptr<TreeSource> open_tree(const WalkedDirectory& top, unsigned threads) {
  return std::make_unique<Directory>(top.open(), threads);
}

std::unique_ptr<TreeSource> open_tree(const std::string& path, unsigned threads) {
  return open_tree(WalkedDirectory(path), threads);
}

std::unique_ptr<TreeSink> output_tree(const std::string& path, const OutputTreeOptions& options) {
  return std::make_unique<OutputTree>(path, options);
}

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

OutputDirectory::OutputDirectory(const std::filesystem::path& path) {
  Descriptor opened(::open(path.c_str(), kDirectoryFlags));
  if (!opened) throw system_error("cannot open its directory", errno);
  opened_ = std::make_shared<const Descriptor>(std::move(opened));
}

std::optional<mode_t> OutputDirectory::permitted() const noexcept {
  const int mode = permitted_;
  return mode < 0 ? std::nullopt : std::optional(static_cast<mode_t>(mode));
}

// A running sync may have missed the caller's name: the next one counts, and one of the waiting callers makes
// it.
void OutputDirectory::sync() {
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = begun_ + 1;
  ended_one_.wait(lock, [&] { return ended_ >= mine || begun_ == ended_; });
  if (ended_ < mine) {
    begun_ = mine;
    lock.unlock();
    const bool synced = retry_interrupted([&] { return ::fsync(descriptor()); }) == 0;
    const int error = synced || errno == EINVAL ? 0 : errno;  // file systems that cannot sync directories
    lock.lock();
    ended_ = mine;
    if (error != 0) failed_ = mine;
    if (error != 0) error_ = error;
    ended_one_.notify_all();
  }
  if (failed_ >= mine) throw system_error("sync failed", error_);
}

OutputDirectories::OutputDirectories() = default;
OutputDirectories::~OutputDirectories() = default;

template <class Place, class Open>
std::shared_ptr<OutputDirectory> OutputDirectories::kept(const Place& place, Open open) {
  constexpr std::size_t kMaxKept = 64;  // each holds an open descriptor
  const std::lock_guard lock(mutex_);
  const auto is_there = [&](const Kept& one) {
    const Place* known = std::get_if<Place>(&one.place);
    return known != nullptr && *known == place;
  };
  const auto known = std::ranges::find_if(kept_, is_there);
  if (known != kept_.end()) return known->directory;
  auto directory = std::make_shared<OutputDirectory>(open());
  kept_.push_front({place, directory});
  if (kept_.size() > kMaxKept) kept_.pop_back();
  return directory;
}

std::shared_ptr<OutputDirectory> OutputDirectories::at(const std::filesystem::path& path) {
  return kept(path, [&] { return path; });
}

std::shared_ptr<OutputDirectory> OutputDirectories::at(const std::shared_ptr<const WalkedDirectory>& found) {
  return kept(found, [&] { return found->open(); });
}

}  // namespace fugu::stream
