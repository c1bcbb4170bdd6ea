// The directories below --output-dir. No link below it is followed, whenever it came there.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "fugu/stream/walked_directory.hpp"

namespace fugu::cli {

// "." for a name alone.
std::filesystem::path directory_of(const std::filesystem::path& file);

// Thread-safe.
class OutputRoot {
 public:
  using Directory = std::shared_ptr<const stream::WalkedDirectory>;

  // Opened at once if it is there: what takes its place later is not followed either.
  explicit OutputRoot(std::filesystem::path path) : path_(std::move(path)) { find({}); }

  // The directory at `below`, a path relative to the root; null if it cannot be opened now.
  Directory find(const std::filesystem::path& below);

  // The same, created and synced with its parents where they are missing. Its permissions and those of its
  // parents below the root are those of `like` and its parents, less what the umask forbids. Throws
  // Error{io}.
  Directory make(const std::filesystem::path& below, const std::filesystem::path& like);

 private:
  Directory at(const std::filesystem::path& below, const std::filesystem::path* like);
  Directory top(bool may_make) const;

  std::filesystem::path path_;
  std::mutex mutex_;  // held until a new directory is on the disk, so a directory that is found is there
  std::map<std::filesystem::path, Directory> known_;  // under mutex_
};

}  // namespace fugu::cli
