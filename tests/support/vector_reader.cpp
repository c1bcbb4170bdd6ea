#include "support/vector_reader.hpp"

#include <stdexcept>

#include "cli/check/embedded_vectors.hpp"

namespace fugu::test {
namespace {

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::filesystem::path vectors_directory() {
  return FUGU_VECTORS_DIR;
}

std::vector<Vector> read_vectors(std::string_view file) {
  std::vector<Vector> vectors;
  for (const cli::EmbeddedVector& v : cli::embedded_vectors())
    if (v.where.starts_with(file))
      vectors.push_back({std::string(v.where), v.mode, v.words, v.counter, copy_of(v.key), copy_of(v.iv),
                         copy_of(v.plaintext), copy_of(v.ciphertext)});
  if (vectors.empty()) throw std::runtime_error("no vectors in " + std::string(file));
  return vectors;
}

std::vector<Vector> read_all_vectors() {
  return read_vectors("");
}

}  // namespace fugu::test
