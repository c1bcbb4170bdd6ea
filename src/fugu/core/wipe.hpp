// Clears secrets in a way that the compiler cannot optimise away, and containers of secrets and plaintext
// whose memory is wiped before it is freed: also when they grow, when they are assigned to, and when an
// exception ends them. Host only.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "fugu/export.hpp"

namespace fugu::core {

FUGU_EXPORT void wipe(void* memory, std::size_t bytes) noexcept;

// Like wipe(), but does not allocate pages that were never touched: 23 of 27 ms for a line through a pipe
// (small_files_intel_r_xeon_r_processor.csv at 25ce3044). Private anonymous memory only. What was swapped out
// reads as zeros too, though the device keeps it until it is written again; keys are locked in memory where
// that is allowed.
FUGU_EXPORT void wipe_touched(void* memory, std::size_t bytes) noexcept;

template <class T>
struct WipingAllocator {
  using value_type = T;

  WipingAllocator() = default;
  template <class Other>
  WipingAllocator(const WipingAllocator<Other>&) noexcept {}

  T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* memory, std::size_t count) noexcept {
    // Below this, clearing is faster than asking the system which pages were touched.
    constexpr std::size_t kWorthAsking = std::size_t{64} << 10;
    const std::size_t bytes = count * sizeof(T);
    bytes < kWorthAsking ? wipe(memory, bytes) : wipe_touched(memory, bytes);
    std::allocator<T>().deallocate(memory, count);
  }

  friend bool operator==(const WipingAllocator&, const WipingAllocator&) = default;
};

template <class T>
using WipedVector = std::vector<T, WipingAllocator<T>>;
using WipedBytes = WipedVector<std::byte>;

}  // namespace fugu::core
