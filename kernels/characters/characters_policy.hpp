// The layout of the kernels of character tables on a device.
#pragma once

#include <cstdint>

namespace fugu::kernels {

inline constexpr unsigned kCharacterThreads = 256;

// Up to this size the roots are copied to shared memory; larger tables are read through the cache.
inline constexpr std::uint32_t kSharedValueBytes = 16 * 1024;

// The most runs per block: their shifts are in shared memory too.
inline constexpr std::uint32_t kRunsPerBlock = 16;

// The columns per run: the last factors, up to about a thousand columns, more for small values. A last factor
// too long for that is a run of its own up to kMaxRunColumns; a longer one is done column by column.
constexpr std::uint64_t run_columns_of(std::uint32_t value_bytes) {
  return value_bytes > 2 ? 1024 : 2304;
}
inline constexpr std::uint32_t kMaxRunColumns = 12288;

}  // namespace fugu::kernels
