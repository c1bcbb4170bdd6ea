// The huge pages of a file that is kept in memory, filled by several threads or processes. Private to
// platform.
//
// write(2) locks the file, so one thread at a time allocates and fills its 4 KiB pages, and page faults of a
// mapping hardly go faster. The kernel can collapse a huge page around one written byte (madvise(2),
// MADV_COLLAPSE, Linux 6.1), which threads then fill beside each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

namespace fugu::stream {

// Thread-safe.
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

}  // namespace fugu::stream
