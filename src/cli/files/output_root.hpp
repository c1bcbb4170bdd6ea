// The directories below --output-dir. No link below it is followed, whenever it came there.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "fugu/stream/posix/walked_directory.hpp"

namespace fugu::cli {

// "." for a name alone.
std::filesystem::path directory_of(const std::filesystem::path& file);

// Thread-safe.
class OutputRoot {
 public:
  using Directory = std::shared_ptr<const stream::WalkedDirectory>;

  // Opened at once if it is there: what takes its place later is not followed either.
  explicit OutputRoot(std::filesystem::path path) : path_(std::move(path)) { find({}); }

  std::string path() const { return path_.string(); }

  // The directory at `below`, a path relative to the root; null if it cannot be opened now.
  Directory find(const std::filesystem::path& below);

  // The same, created and synced with its parents where they are missing. Its permissions and those of its
  // parents below the root are those of `like` and its parents, less what the umask forbids. Throws
  // Error{io}.
  Directory make(const std::filesystem::path& below, const std::filesystem::path& like);

  // Another directory, `opened`, that shall be there in the end with its time: parents before what they hold.
  void keep(const stream::Descriptor& opened, const std::string& input, const std::string& below);

  // Makes those that are missing, and sets the times of all that it can. Throws Error{io}.
  void finish();

 private:
  struct Kept {
    std::filesystem::path input;
    std::filesystem::path below;
    timespec modified;
  };

  Directory at(const std::filesystem::path& below, const std::filesystem::path* like);
  Directory top(bool may_make) const;

  std::filesystem::path path_;
  std::vector<Kept> kept_;
  std::mutex mutex_;  // held until a new directory is on the disk, so a directory that is found is there
  std::map<std::filesystem::path, Directory> known_;  // under mutex_
};

}  // namespace fugu::cli
