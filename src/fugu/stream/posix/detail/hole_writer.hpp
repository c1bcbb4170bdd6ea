// Writes a regular file from its beginning and leaves holes for blocks of zeros, so that an encrypted sparse
// file comes back sparse. Private to platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/stream/posix/detail/file_writer.hpp"

namespace fugu::stream {

class HoleWriter {
 public:
  // `file` writes `descriptor`; nothing has been written yet.
  HoleWriter(FileWriter& file, int descriptor);

  // A block of zeros split between parts is written out. A hole at the end needs ftruncate(2). Throws
  // Error{io}.
  void write(FileWriter::Parts parts);

 private:
  std::size_t data_before_hole(std::uint64_t position, std::span<const std::byte> from) const;
  std::size_t zeros(std::span<const std::byte> from) const;

  FileWriter& file_;
  std::size_t block_bytes_;  // of the file system: a smaller hole saves nothing
};

}  // namespace fugu::stream
