// One sequence of bytes in several places. Private to platform.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace fugu::stream {

template <class Byte>
std::size_t total_bytes(std::span<const std::span<Byte>> parts) {
  std::size_t total = 0;
  for (const std::span<Byte> part : parts) total += part.size();
  return total;
}

// Calls take(part) for the places of bytes [offset, offset + bytes) of the sequence, in order.
template <class Byte, class Take>
void for_each_part(std::span<const std::span<Byte>> parts, std::size_t offset, std::size_t bytes, Take take) {
  for (const std::span<Byte> part : parts) {
    const std::size_t before = std::min(offset, part.size());
    const std::size_t taken = std::min(bytes, part.size() - before);
    if (taken != 0) take(part.subspan(before, taken));
    offset -= before;
    bytes -= taken;
  }
}

}  // namespace fugu::stream
