// A directory that lives as long as a test, and files in it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace fugu::stream {

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

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::string directory_;
};

inline void write_file(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  std::transform(bytes.begin(), bytes.end(), std::ostreambuf_iterator<char>(file),
                 [](std::byte b) { return static_cast<char>(b); });
  EXPECT_TRUE(file.flush().good()) << path;
}

inline std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::vector<std::byte> bytes;
  std::transform(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(),
                 std::back_inserter(bytes), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

}  // namespace fugu::stream
