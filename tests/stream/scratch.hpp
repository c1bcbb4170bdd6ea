// A directory, files in it and a pipe that exist as long as a test.
#pragma once

#include <fcntl.h>
#include <stdlib.h>  // mkdtemp
#include <sys/stat.h>
#include <unistd.h>

#include "fugu/stream/output_file.hpp"
#include "stream/memory.hpp"
#include "support/files.hpp"

namespace fugu::stream {

using Names = std::vector<std::string>;

// In memory if there is such a file system.
inline std::filesystem::path memory_directory() {
  return std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
}

class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& parent = std::filesystem::temp_directory_path())
      : directory_((parent / "fugu-test-XXXXXX").string()) {
    EXPECT_NE(::mkdtemp(directory_.data()), nullptr);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  const std::string& directory() const { return directory_; }

  Names names() const {
    Names names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::string directory_;
};

// A test in a directory of its own, most often of one file.
class InScratch : public ::testing::Test {
 protected:
  explicit InScratch(const std::filesystem::path& parent = std::filesystem::temp_directory_path())
      : scratch_(parent) {}

  const Scratch scratch_;
  const std::string path_ = scratch_.path("out");
};

using test::read_file;
using test::write_file;

inline void put(const std::string& path, const std::string& text) {
  write_file(path, bytes_of(text));
}
inline std::string get(const std::string& path) {
  return text_of(read_file(path));
}

inline void write_output(const std::string& path, std::span<const std::byte> bytes,
                         const OutputFileOptions& options = {}) {
  OutputFile file(path, options);
  file.write(bytes);
  file.commit();
}

inline struct stat status_of_path(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status;
}

class Pipe {
 public:
  explicit Pipe(int flags = 0) { EXPECT_EQ(::pipe2(ends_, flags | O_CLOEXEC), 0); }
  ~Pipe() {
    close_read_end();
    close_write_end();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read_end() { close_once(ends_[0]); }
  void close_write_end() { close_once(ends_[1]); }

 private:
  static void close_once(int& end) {
    if (end >= 0) ::close(std::exchange(end, -1));
  }

  int ends_[2] = {-1, -1};
};

}  // namespace fugu::stream
