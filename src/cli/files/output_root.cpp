#include "cli/files/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

namespace fugu::cli {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(path, none);
}

void sync_directory(const fs::path& directory) {
  const stream::Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || (::fsync(opened.get()) != 0 && errno != EINVAL))
    throw system_error("cannot sync its directory", errno);
}

// The root itself is reached as its user has named it, through links.
void make_root(const fs::path& directory, mode_t mode) {
  if (is_there(directory)) return;
  const fs::path parent = directory_of(directory);
  if (parent != directory) make_root(parent, 0777);
  if (::mkdir(directory.c_str(), mode) == 0) return sync_directory(parent);
  if (errno == EEXIST && is_there(directory)) return;  // another process was faster
  throw system_error("cannot make its directory", errno);
}

mode_t mode_like(const fs::path& directory) {
  struct stat status {};
  return ::stat(directory.c_str(), &status) == 0 ? (status.st_mode & 0777) | S_IRWXU : 0777;
}

}  // namespace

fs::path directory_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

OutputRoot::Directory OutputRoot::find(const fs::path& below) {
  const std::lock_guard lock(mutex_);
  try {
    return at(below, nullptr);
  } catch (const Error&) {
    return nullptr;
  }
}

OutputRoot::Directory OutputRoot::make(const fs::path& below, const fs::path& like) {
  const std::lock_guard lock(mutex_);
  return at(below, &like);
}

void OutputRoot::keep(const stream::Descriptor& opened, const std::string& input, const std::string& below) {
  struct stat status {};
  if (::fstat(opened.get(), &status) == 0) kept_.push_back({input, below, status.st_mtim});
}

void OutputRoot::finish() {
  std::optional<Error> first;
  for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) {
    try {
      const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, kept->modified};
      if (::futimens(make(kept->below, kept->input)->open()->get(), times) != 0)
        throw system_error("cannot set the times of its directories", errno);
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  if (first) throw Error(*first);
}

// Null for `like`: nothing is created.
OutputRoot::Directory OutputRoot::at(const fs::path& below, const fs::path* like) {
  if (const auto known = known_.find(below); known != known_.end()) return known->second;
  Directory found;
  if (below.empty()) {
    found = top(like != nullptr);
  } else {
    const fs::path above = like != nullptr ? like->parent_path() : fs::path();
    Directory parent = at(below.parent_path(), like != nullptr ? &above : nullptr);
    std::string name = below.filename().string();
    found = like != nullptr
                ? stream::WalkedDirectory::make(std::move(parent), std::move(name), mode_like(*like))
                : std::make_shared<stream::WalkedDirectory>(std::move(parent), std::move(name));
  }
  static_cast<void>(found->open());
  known_.emplace(below, found);
  return found;
}

// Stays open until the work is done.
OutputRoot::Directory OutputRoot::top(bool may_make) const {
  const bool is_one = !kept_.empty() && kept_.front().below.empty();
  if (may_make) make_root(path_, is_one ? mode_like(kept_.front().input) : 0777);
  auto found = std::make_shared<stream::WalkedDirectory>(path_);
  found->hold();
  return found;
}

}  // namespace fugu::cli
