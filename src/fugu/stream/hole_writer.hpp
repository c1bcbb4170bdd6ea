// Writes a regular file from its beginning and leaves holes for blocks of zeros: a sparse file that was
// encrypted comes back sparse. Private to stream.
#pragma once

#include <cstddef>
#include <span>

#include "fugu/stream/file_writer.hpp"

namespace fugu::stream {

class HoleWriter {
 public:
  // `file` writes `descriptor`, and nothing was written yet.
  HoleWriter(FileWriter& file, int descriptor);

  // A block of zeros that `from` does not hold whole is written as it is. A hole at the end needs
  // ftruncate(2). Throws Error{io}.
  void write(std::span<const std::byte> from);

 private:
  std::size_t data_before_hole(std::span<const std::byte> from) const;

  FileWriter& file_;
  std::size_t block_bytes_;  // of the file system: a smaller hole would save nothing
};

}  // namespace fugu::stream
