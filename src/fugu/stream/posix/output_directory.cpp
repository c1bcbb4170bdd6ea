// Opens, keeps and syncs the directories of outputs.
#include "fugu/stream/posix/detail/output_directory.hpp"

#include <unistd.h>

#include <algorithm>

#include "fugu/stream/output_file.hpp"
#include "fugu/stream/posix/detail/tree_directories.hpp"
#include "fugu/stream/posix/walked_directory.hpp"

namespace fugu::stream {

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
