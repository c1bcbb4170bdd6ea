// The huge pages of one file that is kept in memory, for all of its writers in this process. Private to
// stream.
//
// write(2) locks the file, so one thread at a time allocates, clears and fills its 4 KiB pages, which takes
// all of the time if files are kept in memory. Here the kernel collapses a huge page from a single written
// page (madvise(2), MADV_COLLAPSE, Linux 6.1), and each thread clears and fills its own through a mapping. A
// collapsed page is fully allocated, so filling it cannot meet a full disk
// (tools/bench/results/file_writes_h200.csv).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace fugu::stream {

// The size on processors with 4 KiB pages.
inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

// Thread-safe. Pages are numbered from the beginning of the file.
class HugePages {
 public:
  // A file open for reading and writing, which may lie on any file system, and outlives this. `wanted`: false
  // if there will be none.
  HugePages(int descriptor, bool wanted);
  ~HugePages();
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;

  // Whether the file has huge pages, as far as is known.
  bool possible() const;

  // The page's address, valid until wrote() has counted all of its bytes; null if the page must be written
  // with write(2). The first caller collapses the page, which overwrites its last byte.
  std::byte* take(std::uint64_t page);

  bool is_taken(std::uint64_t page) const;

  // The page's last byte is about to be written with write(2), so it can no longer be taken if it is not yet.
  void leave(std::uint64_t page);

  // Bytes [position, position + bytes) have been written, in either way. No byte is counted twice.
  void wrote(std::uint64_t position, std::uint64_t bytes);

  // The file may be as long as this, since pages were taken or could not be.
  std::uint64_t end() const;

 private:
  enum class State : std::uint8_t { untouched, being_taken, taken, left };

  // Mapping pages one by one would make threads wait for each other: each change of a mapping stops them all.
  static constexpr std::uint64_t kWindowPages = 16;

  struct Window {
    std::byte* reserved = nullptr;  // null: not mapped
    std::byte* pages = nullptr;
    std::uint64_t written_bytes = 0;
  };

  State& state_of(std::uint64_t page, std::unique_lock<std::mutex>& lock);
  std::byte* mapped_at(std::uint64_t page);
  Window& window_of(std::uint64_t page);
  bool collapse(std::byte* mapped, std::uint64_t page);
  void map(Window& window, std::uint64_t number) const;
  static void unmap(Window& window) noexcept;

  const int descriptor_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // a page that was being taken
  bool possible_;
  std::vector<State> pages_;
  std::vector<Window> windows_;
  std::uint64_t end_ = 0;
};

}  // namespace fugu::stream
