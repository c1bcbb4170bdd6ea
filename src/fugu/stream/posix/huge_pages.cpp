#include "fugu/stream/posix/detail/huge_pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "fugu/stream/posix/descriptor.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // glibc before 2.35
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25  // glibc before 2.37
#endif

namespace fugu::stream {
namespace {

constexpr std::size_t kPageBytes = std::size_t{2} << 20;  // on processors with 4 KiB pages

// A huge page for less would make sparse files dense.
constexpr std::size_t kMinBytes = std::size_t{64} << 10;

}  // namespace

HugePages::HugePages(int descriptor, std::uint64_t end) : descriptor_(descriptor), count_(end / kPageBytes) {
  const auto bytes = static_cast<std::size_t>(count_ * kPageBytes);
  // Extends the file, and never cuts what another process has written.
  if (count_ == 0 || ::fallocate(descriptor, 0, static_cast<off_t>(end) - 1, 1) != 0) return;
  void* const reserved =
      ::mmap(nullptr, bytes + kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return;
  reserved_ = static_cast<std::byte*>(reserved);
  void* const aligned = reserved_ + (kPageBytes - reinterpret_cast<std::uintptr_t>(reserved) % kPageBytes);
  if (::mmap(aligned, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0) == MAP_FAILED)
    return;
  mapped_ = static_cast<std::byte*>(aligned);
  pages_ = std::make_unique<Page[]>(static_cast<std::size_t>(count_));
}

HugePages::~HugePages() {
  if (reserved_ != nullptr) ::munmap(reserved_, static_cast<std::size_t>((count_ + 1) * kPageBytes));
}

bool HugePages::write(std::uint64_t position, std::span<const std::byte> from) {
  const std::uint64_t end = position + from.size();
  if (mapped_ == nullptr || from.size() < kMinBytes || end > count_ * kPageBytes) return false;
  for (std::uint64_t at = position; at < end; at = (at / kPageBytes + 1) * kPageBytes)
    if (!take(at)) return false;
  std::memcpy(mapped_ + position, from.data(), from.size());
  return true;
}

// The first call for a page writes a byte at the position, which the caller then writes in either way, and
// has the page collapsed around it.
bool HugePages::take(std::uint64_t position) {
  const std::uint64_t page = position / kPageBytes;
  Page& one = pages_[static_cast<std::size_t>(page)];
  std::call_once(one.tried, [&] {
    constexpr std::byte kAny{0};
    std::byte* const begin = mapped_ + page * kPageBytes;
    one.is_taken = retry_interrupted(
                       [&] { return ::pwrite(descriptor_, &kAny, 1, static_cast<off_t>(position)); }) == 1 &&
                   ::madvise(begin, kPageBytes, MADV_COLLAPSE) == 0 &&
                   ::madvise(begin, kPageBytes, MADV_POPULATE_WRITE) == 0;
  });
  return one.is_taken;
}

}  // namespace fugu::stream
