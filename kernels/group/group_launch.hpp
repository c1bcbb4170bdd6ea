// Launchers of the transforms over finite Abelian groups. Arguments are plain data with device pointers;
// every launcher queues on `stream` and returns CUDA's status (0 is success). Free of CUDA headers.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace fugu::kernels {

inline constexpr int kMaxGroupAxes = 32;

// Axes of at most this many values are transformed in tiles in shared memory, several axes per pass.
inline constexpr std::uint32_t kMaxTileRadix = 32;

// The size of a tile. A tile of separate rows has at least kGroupColumns adjacent values of each.
inline constexpr std::size_t kGroupTileBytes = std::size_t{160} << 10;
inline constexpr std::uint32_t kGroupColumns = 8;

enum class GroupElement : std::uint8_t { complex64, complex128 };

// The elements and their ring.
//   roots    modulus elements: zeta^-e for the transform, zeta^e for its inverse
//   scale    of the last pass: the factor of each result
struct GroupRing {
  GroupElement element;
  const void* roots;
  std::uint32_t modulus;
  double scale;
};

// Neighbouring axes, in place.
//   radix    of the axes, the first the most significant
//   rows     their product
//   stride   values from one row to the next: the product of the later axes of the group
//   columns  per row of a tile, at most `stride`
//   repeats  with stride 1: the number of consecutive groups of rows per tile
struct GroupPass {
  int axes;
  std::uint32_t radix[kMaxGroupAxes];
  std::uint32_t rows;
  std::uint64_t stride;
  std::uint32_t columns;
  std::uint32_t repeats;
};
int launch_group_pass(const GroupRing& ring, const GroupPass& pass, void* data, std::uint64_t values,
                      CUstream_st* stream);

// One axis of any length, not in place.
int launch_group_axis(const GroupRing& ring, std::uint32_t radix, std::uint64_t stride, const void* in,
                      void* out, std::uint64_t values, CUstream_st* stream);

}  // namespace fugu::kernels
