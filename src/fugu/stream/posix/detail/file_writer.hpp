// What writes regular files. Private to stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

namespace fugu::stream {

// The huge pages of a file that is kept in memory, filled by several threads or processes. Thread-safe.
//
// write(2) locks the file, so one thread at a time allocates and fills its 4 KiB pages, and page faults of a
// mapping hardly go faster. The kernel can collapse a huge page around one written byte (madvise(2),
// MADV_COLLAPSE, Linux 6.1), which threads then fill beside each other.
class HugePages {
 public:
  // A file open for reading and writing, which outlives this and will be at least `end` bytes long.
  HugePages(int descriptor, std::uint64_t end);
  ~HugePages();
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;

  // False: the bytes are still to be written with write(2), which reports the error if there is one.
  bool write(std::uint64_t position, std::span<const std::byte> from);

 private:
  struct Page {
    std::once_flag tried;
    bool is_taken = false;  // allocated and mapped: filling it cannot meet a full disk
  };

  bool take(std::uint64_t position);

  int descriptor_;
  std::uint64_t count_;  // of whole pages
  std::unique_ptr<Page[]> pages_;
  std::byte* reserved_ = nullptr;
  std::byte* mapped_ = nullptr;
};

// Writes a file from its beginning, or from anywhere: several writers may share a descriptor, whose own
// position they neither use nor move.
class FileWriter {
 public:
  using Parts = std::span<const std::span<const std::byte>>;

  // Writes from `begin` on, through `pages` where these can take the bytes; they outlive it.
  explicit FileWriter(int descriptor, std::uint64_t begin = 0, HugePages* pages = nullptr) noexcept
      : descriptor_(descriptor), position_(begin), pages_(pages) {}

  std::uint64_t position() const noexcept { return position_; }

  // Whether blocks of zeros become holes, so that an encrypted sparse file comes back sparse. Throws
  // Error{io}.
  void set_holes(bool leaves_holes);
  bool leaves_holes() const noexcept { return block_bytes_ != 0; }

  // Writes the concatenated parts; a block of zeros that is split between two is no hole. Throws Error{io}.
  void write(Parts parts);

  // Skips bytes: a hole, once something is written after it or the file is given its length.
  void skip(std::uint64_t bytes) noexcept;

  // Whether the file, once its last byte is written, still has to be extended to position().
  bool needs_length() const noexcept { return skipped_; }

 private:
  void write_data(std::span<const std::byte> from);
  std::size_t data_before_hole(std::span<const std::byte> from) const;
  std::size_t zeros(std::span<const std::byte> from) const;

  int descriptor_;
  std::uint64_t position_;
  HugePages* pages_;
  std::size_t block_bytes_ = 0;  // of the file system, where smaller holes save nothing; 0: no holes
  bool skipped_ = false;         // whether the last part was skipped
};

}  // namespace fugu::stream
