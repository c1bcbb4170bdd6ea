// Writes a regular file from its beginning and leaves holes for blocks of zeros: a sparse file that was
// encrypted comes back sparse. Private to stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/stream/detail/file_writer.hpp"

namespace fugu::stream {

class HoleWriter {
 public:
  // `file` writes `descriptor`, and nothing was written yet.
  HoleWriter(FileWriter& file, int descriptor);

  // A block of zeros that no part holds whole is written as it is. A hole at the end needs ftruncate(2).
  // Throws Error{io}.
  void write(FileWriter::Parts parts);

 private:
  std::size_t data_before_hole(std::uint64_t position, std::span<const std::byte> from) const;
  std::size_t zeros(std::span<const std::byte> from) const;

  FileWriter& file_;
  std::size_t block_bytes_;  // of the file system: a smaller hole would save nothing
};

}  // namespace fugu::stream
