#include "fugu/core/wipe.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace fugu::core {
namespace {

constexpr std::size_t kPagesAtOnce = 1024;

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t into_page(const std::byte* at) noexcept {
  return reinterpret_cast<std::uintptr_t>(at) % page_bytes();
}

// Drops whole pages that are not in memory. Untouched pages and swapped-out ones look the same here: both
// read as zeros afterwards, and no memory is allocated for them.
void drop(std::byte* begin, std::byte* end) noexcept {
  const auto bytes = static_cast<std::size_t>(end - begin);
  if (begin != end && ::madvise(begin, bytes, MADV_DONTNEED) != 0) wipe(begin, bytes);
}

// [begin, end) lies in at most kPagesAtOnce pages.
void wipe_pages(std::byte* begin, std::byte* end) noexcept {
  std::array<unsigned char, kPagesAtOnce> resident;
  const std::size_t lead = into_page(begin);
  const bool told =
      ::mincore(begin - lead, static_cast<std::size_t>(end - begin) + lead, resident.data()) == 0;
  std::byte* absent = begin;  // [absent, begin) are whole pages to drop
  for (std::size_t page = 0; begin < end; ++page) {
    const std::size_t bytes =
        std::min(page_bytes() - into_page(begin), static_cast<std::size_t>(end - begin));
    const bool is_whole = bytes == page_bytes();
    if (!is_whole || !told || (resident[page] & 1) != 0) {
      drop(absent, begin);
      wipe(begin, bytes);
      absent = begin + bytes;
    }
    begin += bytes;
  }
  drop(absent, begin);
}

}  // namespace

void wipe(void* memory, std::size_t bytes) noexcept {
  if (bytes != 0) explicit_bzero(memory, bytes);
}

void wipe_touched(void* memory, std::size_t bytes) noexcept {
  auto* begin = static_cast<std::byte*>(memory);
  while (bytes != 0) {
    const std::size_t step = std::min(bytes, kPagesAtOnce * page_bytes() - into_page(begin));
    wipe_pages(begin, begin + step);
    begin += step;
    bytes -= step;
  }
}

}  // namespace fugu::core
