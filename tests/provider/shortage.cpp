#include "shortage.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> is_under_way = false;
std::atomic<bool> is_lasting = false;
std::atomic<long> allocations_left = 0;  // before one fails

bool fails() {
  if (!is_under_way) return false;
  const long left = allocations_left--;
  return left == 0 || (left < 0 && is_lasting);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (fails()) throw std::bad_alloc();
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// g++ would warn of free() with memory of `new` if this were inlined.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
// AddressSanitizer's own versions do not call those above.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t bytes) {
  return operator new(bytes);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return operator new(bytes, alignment);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  operator delete(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  operator delete(memory);
}
void operator delete[](void* memory) noexcept {
  operator delete(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace fugu::test {

void begin_shortage(long allocations, Shortage shortage) {
  is_lasting = shortage == Shortage::lasting;
  allocations_left = allocations;
  is_under_way = true;
}

long end_shortage() noexcept {
  is_under_way = false;
  return allocations_left;
}

}  // namespace fugu::test
