// Converts sizes from options and files to sizes of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace fugu::cli {

// Throws std::bad_alloc for sizes beyond a 32-bit address space.
inline std::size_t to_size(std::uint64_t size) {
  if (!std::in_range<std::ptrdiff_t>(size)) throw std::bad_alloc();
  return static_cast<std::size_t>(size);
}

}  // namespace fugu::cli
