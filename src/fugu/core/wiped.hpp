// Containers of secrets and plaintext whose memory is wiped before it is freed: also when they grow, when
// they are assigned to, and when an exception ends them. Host only.
#pragma once

#include <memory>
#include <vector>

#include "fugu/core/wipe.hpp"

namespace fugu::core {

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
