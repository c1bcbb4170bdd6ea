#include "fugu/stream/detail/huge_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "fugu/stream/descriptor.hpp"
#include "fugu/stream/detail/file_status.hpp"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25  // glibc before 2.37
#endif

namespace fugu::stream {
namespace {

constexpr int kPageBytes = 4096;

bool has_huge_pages(int descriptor) {
  return ::sysconf(_SC_PAGESIZE) == long{kPageBytes} && is_in_memory(descriptor);
}

// An emulator may accept the advice and ignore it; a missing page ends the process if its file system is
// full.
bool is_there(std::byte* huge_page) {
  std::array<unsigned char, kHugePageBytes / kPageBytes> pages;
  return ::mincore(huge_page, kHugePageBytes, pages.data()) == 0 &&
         std::ranges::all_of(pages, [](unsigned char page) { return (page & 1U) != 0; });
}

}  // namespace

HugePages::HugePages(int descriptor, bool wanted)
    : descriptor_(descriptor), possible_(wanted && has_huge_pages(descriptor)) {}

HugePages::~HugePages() {
  for (Window& window : windows_) unmap(window);
}

bool HugePages::possible() const {
  const std::lock_guard lock(mutex_);
  return possible_;
}

std::byte* HugePages::take(std::uint64_t page) {
  std::unique_lock lock(mutex_);
  const State state = state_of(page, lock);
  std::byte* const mapped = possible_ && state != State::left ? mapped_at(page) : nullptr;
  if (state == State::taken) return mapped;
  pages_[page] = mapped == nullptr ? State::left : State::being_taken;
  if (mapped == nullptr) return nullptr;
  end_ = std::max(end_, (page + 1) * kHugePageBytes);
  lock.unlock();
  const bool collapsed = collapse(mapped, page);
  lock.lock();
  pages_[page] = collapsed ? State::taken : State::left;
  changed_.notify_all();
  return collapsed ? mapped : nullptr;
}

bool HugePages::is_taken(std::uint64_t page) const {
  const std::lock_guard lock(mutex_);
  return page < pages_.size() && pages_[page] == State::taken;
}

void HugePages::leave(std::uint64_t page) {
  std::unique_lock lock(mutex_);
  if (!possible_ && page >= pages_.size()) return;  // never taken
  if (State& state = state_of(page, lock); state == State::untouched) state = State::left;
}

void HugePages::wrote(std::uint64_t position, std::uint64_t bytes) {
  constexpr std::uint64_t kWindowBytes = kWindowPages * kHugePageBytes;
  const std::lock_guard lock(mutex_);
  if (windows_.empty()) return;
  while (bytes != 0) {
    const std::uint64_t here = std::min(bytes, kWindowBytes - position % kWindowBytes);
    Window& window = window_of(position / kHugePageBytes);
    window.written_bytes += here;
    if (window.written_bytes == kWindowBytes) unmap(window);
    position += here;
    bytes -= here;
  }
}

std::uint64_t HugePages::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

// The state once nobody is taking the page.
HugePages::State& HugePages::state_of(std::uint64_t page, std::unique_lock<std::mutex>& lock) {
  if (page >= pages_.size()) pages_.resize(page + 1);
  changed_.wait(lock, [&] { return pages_[page] != State::being_taken; });
  return pages_[page];
}

// Null when the file cannot be mapped.
std::byte* HugePages::mapped_at(std::uint64_t page) {
  Window& window = window_of(page);
  if (window.reserved == nullptr) map(window, page / kWindowPages);
  if (window.reserved == nullptr) return nullptr;
  return window.pages + page % kWindowPages * kHugePageBytes;
}

HugePages::Window& HugePages::window_of(std::uint64_t page) {
  const std::uint64_t number = page / kWindowPages;
  if (number >= windows_.size()) windows_.resize(number + 1);
  return windows_[number];
}

// Extends the file to hold the page, and has it collapsed. False when that failed, even in part.
bool HugePages::collapse(std::byte* mapped, std::uint64_t page) {
  constexpr std::byte kZero{0};
  const auto last = static_cast<off_t>((page + 1) * kHugePageBytes - 1);
  if (retry_interrupted([&] { return ::pwrite(descriptor_, &kZero, 1, last); }) != 1) return false;
  const bool taken = ::madvise(mapped, kHugePageBytes, MADV_COLLAPSE) == 0;
  if (taken && is_there(mapped)) return true;
  if (!taken && errno == EAGAIN) return false;  // a page in use right now
  const std::lock_guard lock(mutex_);
  possible_ = false;
  return false;
}

// Leaves the window as it is when the file cannot be mapped.
void HugePages::map(Window& window, std::uint64_t number) const {
  constexpr std::size_t kBytes = kWindowPages * kHugePageBytes;
  void* const reserved =
      ::mmap(nullptr, kBytes + kHugePageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED) return;
  window.reserved = static_cast<std::byte*>(reserved);
  window.pages =
      window.reserved + (kHugePageBytes - reinterpret_cast<std::uintptr_t>(reserved) % kHugePageBytes);
  void* const mapped = ::mmap(window.pages, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                              descriptor_, static_cast<off_t>(number * kBytes));
  if (mapped == MAP_FAILED) unmap(window);
}

void HugePages::unmap(Window& window) noexcept {
  if (window.reserved != nullptr) ::munmap(window.reserved, (kWindowPages + 1) * kHugePageBytes);
  window.reserved = nullptr;
}

}  // namespace fugu::stream
