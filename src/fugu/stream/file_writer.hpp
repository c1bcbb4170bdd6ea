// Writes a regular file from its beginning. Private to stream.
//
// write(2) locks the file: one thread at a time fetches, clears and fills its pages, and where files are kept
// in memory that is all there is to it. Large writes are shared out there: fallocate(2) fetches the pages,
// which fails as write(2) would on a full disk, and every thread clears and fills its own through a mapping
// (tools/bench/results/file_writes_h200.csv).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fugu/threads/thread_pool.hpp"

namespace fugu::stream {

class FileWriter {
 public:
  // An empty file, open for reading and writing. `threads`: what the program may use in all.
  FileWriter(int descriptor, unsigned threads);

  std::uint64_t position() const noexcept { return position_; }

  // Throws Error{io}.
  void write(std::span<const std::byte> from);

  // Leaves out what comes next: a hole, once something is written behind it or the file is given its length.
  void skip(std::uint64_t bytes) noexcept;

  // The file is shorter than position().
  bool ends_in_hole() const noexcept { return skipped_; }

 private:
  void write_alone(std::span<const std::byte> from);
  bool write_shared(std::span<const std::byte> from);

  int descriptor_;
  unsigned writers_;
  std::optional<threads::ThreadPool> pool_;  // made when first needed
  std::uint64_t position_ = 0;
  bool moved_ = false;    // past where the descriptor stands
  bool skipped_ = false;  // the last that was done
};

}  // namespace fugu::stream
