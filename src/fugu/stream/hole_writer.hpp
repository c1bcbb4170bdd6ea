// Writes a regular file from its beginning and leaves holes for blocks of zeros: a sparse file that was
// encrypted comes back sparse. Private to stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fugu::stream {

class HoleWriter {
 public:
  // An empty file. Throws Error{io}.
  explicit HoleWriter(int descriptor);

  // A block of zeros that `from` does not hold whole is written as it is. Throws Error{io}.
  void write(std::span<const std::byte> from);

  // The file is shorter than what was written, until ftruncate(2).
  bool ends_in_hole() const noexcept { return hole_bytes_ != 0; }

 private:
  std::size_t data_before_hole(std::span<const std::byte> from) const;
  void write_data(std::span<const std::byte> data);

  int descriptor_;
  std::size_t block_bytes_;  // of the file system: a smaller hole would save nothing
  std::uint64_t position_ = 0;
  std::uint64_t hole_bytes_ = 0;  // skipped, not yet behind the descriptor's position
};

}  // namespace fugu::stream
