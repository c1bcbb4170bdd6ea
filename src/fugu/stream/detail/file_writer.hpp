// Writes a regular file from its beginning. Private to stream.
//
// write(2) locks the file, so one thread at a time fetches, clears and fills its pages of 4 KiB: where files
// are kept in memory, that is all there is to it. Long writes are spread over huge pages there. The kernel
// gathers one from a single page that was written (madvise(2), MADV_COLLAPSE, Linux 6.1), and every thread
// clears and fills its own through a mapping. What was gathered is all there, so that filling it meets no
// full disk; what cannot be gathered is written, which says what is wrong if anything is
// (tools/bench/results/file_writes_h200.csv).
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

  // An empty file, open for reading and writing. `threads`: what the program may use in all.
  FileWriter(int descriptor, unsigned threads);

  // Bytes `begin` to `end` - 1 of a file that other processes write too. `all_threads`: of all of them.
  struct Part {
    std::uint64_t begin = 0;
    std::uint64_t end = ~std::uint64_t{0};
    unsigned all_threads = 1;
  };
  FileWriter(int descriptor, unsigned threads, const Part& part);

  std::uint64_t position() const noexcept { return position_; }

  // The parts one after the other. Throws Error{io}.
  void write(Parts parts);

  // Leaves out what comes next: a hole, once something is written behind it or the file is given its length.
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
  std::atomic<bool> huge_pages_;  // can be had, as far as is known
  threads::ThreadPool pool_;
  std::uint64_t position_ = 0;
  std::uint64_t hole_end_ = 0;      // of the last hole
  std::uint64_t reached_ = 0;       // the file may be as long as that
  std::uint64_t gathered_end_ = 0;  // of the last page that was written, if it is gathered
  bool moved_ = false;              // past where the descriptor stands
  bool skipped_ = false;            // the last that was done
};

}  // namespace fugu::stream
