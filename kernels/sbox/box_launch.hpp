// Launchers that read a box: its values, its coordinates, and the effects of single input bits.
#pragma once

#include <cstdint>

#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::kernels {

// Copies the `count` values of a box, of any integer type, from device memory to `values`.
//   bits  the values, extended to 64 bits, are or-ed to it; a negative value sets the highest bit
enum class Integer : std::uint8_t { int8, int16, int32, int64, uint8, uint16, uint32, uint64 };
struct BoxValues {
  const void* from;
  Integer type;
  std::uint32_t count;
  std::uint32_t* values;
  std::uint64_t* bits;
};
int launch_box_values(const BoxValues& box, CUstream_st* stream);

// Copies the `count` values of a box of at most 16 outputs to 16-bit integers.
struct NarrowValues {
  const std::uint32_t* values;
  std::uint32_t count;
  std::uint16_t* narrow;
};
int launch_narrow_values(const NarrowValues& box, CUstream_st* stream);

// Writes the truth tables of the coordinates 0 .. coordinates - 1, at most 32. Each has `words` words; point
// x is bit x % 32 of word x / 32. A box of fewer points (`size`) is repeated.
struct BoxCoordinates {
  const std::uint32_t* values;
  std::uint32_t size;
  std::uint32_t words;
  int coordinates;
  std::uint32_t* out;
};
int launch_box_coordinates(const BoxCoordinates& box, CUstream_st* stream);

// Adds to counts[i * outputs + j] the number of points x with y_j = x_i.
//   coordinates  as BoxCoordinates writes them
struct OneBitAgreements {
  const std::uint32_t* coordinates;
  std::uint32_t words;
  int inputs;
  int outputs;
  std::uint32_t* counts;
};
int launch_one_bit_agreements(const OneBitAgreements& all, CUstream_st* stream);

// Ors every S(x) + S(x + 2^i) that has exactly one bit into reached[i].
struct OneBitDifferences {
  const std::uint32_t* values;
  std::uint32_t size;
  int inputs;
  std::uint32_t* reached;
};
int launch_one_bit_differences(const OneBitDifferences& all, CUstream_st* stream);

}  // namespace fugu::kernels
