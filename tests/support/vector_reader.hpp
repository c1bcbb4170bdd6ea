// The vectors of vectors/*.vec for tests: those that the build embeds in `fugu selftest`.
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

// One file of vectors/, "ecb.vec". Throws std::runtime_error for a file without vectors.
std::vector<Vector> read_vectors(std::string_view file);

// Every file of vectors/, in the order of their names.
std::vector<Vector> read_all_vectors();

}  // namespace fugu::test
