// Writes a regular file from its beginning. Private to stream.
//
// write(2) locks the file, so one thread at a time allocates, clears and fills its 4 KiB pages, which takes
// all of the time if files are kept in memory. There, long writes are spread over huge pages: the kernel
// collapses each one from a single written page (madvise(2), MADV_COLLAPSE, Linux 6.1), and every thread
// clears and fills its own through a mapping. A collapsed page is fully allocated, so filling it cannot meet
// a full disk; a page that cannot be collapsed is written with write(2), which reports the error if there is
// one (tools/bench/results/file_writes_h200.csv).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/threads/thread_pool.hpp"

namespace fugu::stream {

class FileWriter {
 public:
  using Parts = std::span<const std::span<const std::byte>>;

  // An empty file, open for reading and writing. `threads`: the number that the program may use in total.
  FileWriter(int descriptor, unsigned threads);

  // Bytes `begin` to `end` - 1 of a file that other processes write too. `all_threads`: of all of them.
  struct Part {
    std::uint64_t begin = 0;
    std::uint64_t end = ~std::uint64_t{0};
    unsigned all_threads = 1;
  };
  FileWriter(int descriptor, unsigned threads, const Part& part);

  std::uint64_t position() const noexcept { return position_; }

  // Writes the concatenated parts. Throws Error{io}.
  void write(Parts parts);

  // Skips bytes: a hole, once something is written after it or the file is given its length.
  void skip(std::uint64_t bytes) noexcept;

  // Whether the file, once its last byte is written, still has to be cut or extended to position().
  bool needs_length() const noexcept { return skipped_ || reached_ > position_; }

 private:
  void write_in_order(Parts parts, std::size_t offset, std::size_t bytes);
  std::size_t bytes_for_huge_pages(std::size_t bytes) const;
  bool write_huge_pages(Parts parts, std::size_t bytes);
  void put(std::byte* mapped, std::uint64_t position, Parts parts, std::size_t offset,
           std::size_t bytes) const;
  bool gather(std::byte* huge_page, std::uint64_t position);

  int descriptor_;
  const Part part_;
  std::atomic<bool> huge_pages_;  // possible, as far as is known
  threads::ThreadPool pool_;
  std::uint64_t position_ = 0;
  std::uint64_t hole_end_ = 0;      // of the last hole
  std::uint64_t reached_ = 0;       // limit of the file's length
  std::uint64_t gathered_end_ = 0;  // of the last written page, if it was collapsed
  bool moved_ = false;              // past the descriptor's position
  bool skipped_ = false;            // the last that was done
};

}  // namespace fugu::stream
