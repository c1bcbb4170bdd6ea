// Reads vectors/*.vec (format: vectors/SOURCES.md) for tests.
//
// Nothing is skipped: an invalid line, an incomplete record and a file without vectors are errors, so that no
// test passes because nothing ran.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/core/block.hpp"
#include "fugu/mode/mode.hpp"

namespace fugu::test {

// Returns the directory vectors/ of the project.
std::filesystem::path vectors_directory();

// `plaintext` encrypts to `ciphertext` without padding: in ecb and cbc both are whole blocks.
struct Vector {
  std::string where;  // "ecb.vec:12", the line its record starts on
  mode::Mode mode = mode::Mode::ecb;
  core::ByteOrder words = core::ByteOrder::big;
  core::ByteOrder counter = core::ByteOrder::big;  // ctr only
  std::vector<std::byte> key;                      // 1 to 72 bytes
  std::vector<std::byte> iv;                       // 8 bytes; empty for ecb
  std::vector<std::byte> plaintext;                // never empty
  std::vector<std::byte> ciphertext;               // as long as the plaintext
};

// `name` is used in Vector::where and in errors. Throws std::runtime_error("NAME:LINE: what is wrong").
std::vector<Vector> parse_vectors(std::string_view text, const std::string& name);

// One file of vectors/, "ecb.vec".
std::vector<Vector> read_vectors(const std::string& file);

// Every file of vectors/, in the order of their names.
std::vector<Vector> read_all_vectors();

}  // namespace fugu::test
