// Reads and writes whole files.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fugu::test {

// Throws std::runtime_error when the file cannot be read or written.
std::vector<std::byte> read_file(const std::string& path);
void write_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace fugu::test
