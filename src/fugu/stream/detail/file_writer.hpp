// Writes a regular file from its beginning, or from anywhere: several writers may share a descriptor, whose
// own position they neither use nor move. Private to stream.
//
// Long writes to files kept in memory are spread over huge pages and threads. A page that cannot be had is
// written with write(2), which reports the error if there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "fugu/stream/detail/huge_pages.hpp"
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

  // For one thread: writes from `begin` on, beside other writers in this process that write what precedes and
  // follows. `whole` outlives it.
  FileWriter(const FileWriter& whole, std::uint64_t begin);

  std::uint64_t position() const noexcept { return position_; }

  // Writes the concatenated parts. Throws Error{io}.
  void write(Parts parts);

  // Skips bytes: a hole, once something is written after it or the file is given its length.
  void skip(std::uint64_t bytes) noexcept;

  // Whether the file, once its last byte is written, still has to be cut or extended to position().
  bool needs_length() const { return skipped_ || pages_->end() > position_; }

 private:
  std::size_t bytes_for_huge_pages(std::size_t bytes) const;
  void write_huge_pages(Parts parts, std::size_t bytes);
  void write_otherwise(Parts parts, std::size_t offset, std::size_t bytes);
  void put(std::byte* mapped, std::uint64_t position, Parts parts, std::size_t offset,
           std::size_t bytes) const;

  int descriptor_;
  const Part part_;
  std::shared_ptr<HugePages> pages_;
  bool others_continue_;  // where this part ends
  threads::ThreadPool pool_;
  std::uint64_t position_ = 0;
  std::uint64_t hole_end_ = 0;  // of the last hole
  bool skipped_ = false;        // the last that was done
};

}  // namespace fugu::stream
