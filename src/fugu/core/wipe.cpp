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

// Of the pages that hold [begin, end), at most kPagesAtOnce.
void wipe_pages(std::uintptr_t begin, std::uintptr_t end) noexcept {
  std::array<unsigned char, kPagesAtOnce> resident;
  const std::uintptr_t first = begin / page_bytes() * page_bytes();
  const bool told = ::mincore(reinterpret_cast<void*>(first), end - first, resident.data()) == 0;
  for (std::uintptr_t page = first; page < end; page += page_bytes()) {
    if (told && (resident[(page - first) / page_bytes()] & 1) == 0) continue;
    const std::uintptr_t from = std::max(page, begin);
    wipe(reinterpret_cast<void*>(from), std::min(page + page_bytes(), end) - from);
  }
}

}  // namespace

void wipe(void* memory, std::size_t bytes) noexcept {
  if (bytes != 0) explicit_bzero(memory, bytes);
}

void wipe_touched(void* memory, std::size_t bytes) noexcept {
  auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t end = begin + bytes;
  while (begin < end) {
    const std::uintptr_t next = (begin / page_bytes() + kPagesAtOnce) * page_bytes();
    wipe_pages(begin, std::min(next, end));
    begin = std::min(next, end);
  }
}

}  // namespace fugu::core
