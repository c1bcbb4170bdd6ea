// max |W(., b)| for components b of a box with 8 inputs: one thread per component, all 256 values in its
// registers.
//
// A Pair holds two of the four results of stages 0 and 1 for four points. They never meet again, so that a
// pair goes through the stages 2 to 7 as one number would. Stage 7 is |u| + |v|, the larger of |u + v| and
// |u - v|. All values are integers of at most 256 in magnitude, which 16-bit floating point holds exactly.
#pragma once

#include <cstdint>

#include "fugu/core/butterfly.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::kernels {

inline constexpr int kProfileQuads = 64;  // of four points

// The results of stages 0 and 1 for four signs; bit i of `signs` is the sign of point i.
template <class Pair>
struct QuadTable {
  Pair entries[16][2];

  FUGU_HD void fill(std::uint32_t signs) {
    const auto sign = [&](unsigned i) { return (signs >> i & 1) == 0 ? 1 : -1; };
    const int sums[2] = {sign(0) + sign(1), sign(2) + sign(3)};
    const int differences[2] = {sign(0) - sign(1), sign(2) - sign(3)};
    entries[signs][0] = Pair(sums[0] + sums[1], differences[0] + differences[1]);
    entries[signs][1] = Pair(sums[0] - sums[1], differences[0] - differences[1]);
  }
};

// The truth tables of the 32 coordinates.
using CoordinateWords = std::uint32_t[kProfileCoordinates][kProfileWords];

// One thread's components: b = gray(i) 2^kProfileLaneBits + lane for consecutive i.
template <class Pair>
class ProfileThread {
 public:
  FUGU_HD ProfileThread(const CoordinateWords& coordinates, std::uint32_t lane, std::uint32_t first)
      : coordinates_(coordinates),
        mask_(static_cast<std::uint32_t>(core::gray_code(first) << kProfileLaneBits) | lane) {
    FUGU_UNROLL
    for (int word = 0; word < kProfileWords; ++word) signs_[word] = 0;
    for (int j = 0; j < kProfileCoordinates; ++j) {
      if ((mask_ >> j & 1) != 0) add(j);
    }
  }

  FUGU_HD std::uint32_t mask() const { return mask_; }

  // To the component of number i, the next one. `bit`: the lowest one of i.
  FUGU_HD void advance(int bit) {
    mask_ ^= std::uint32_t{1} << (bit + kProfileLaneBits);
    add(bit + kProfileLaneBits);
  }

  // max |W| of the component.
  FUGU_HD int largest(const QuadTable<Pair>& table) const {
    Pair x[2 * kProfileQuads];
    FUGU_UNROLL
    for (int quad = 0; quad < kProfileQuads; ++quad) {
      const auto& entry = table.entries[signs_[quad / 8] >> (quad % 8 * 4) & 15];
      x[quad] = entry[0];
      x[quad + kProfileQuads] = entry[1];
    }
    FUGU_UNROLL
    for (int distance = 1; distance < kProfileQuads / 2; distance *= 2) {
      FUGU_UNROLL
      for (int i = 0; i < 2 * kProfileQuads; ++i) {
        if ((i & distance) != 0) continue;
        const Pair sum = x[i] + x[i + distance];
        x[i + distance] = x[i] - x[i + distance];
        x[i] = sum;
      }
    }
    return last_stage(x).largest();
  }

 private:
  FUGU_HD void add(int coordinate) {
    FUGU_UNROLL
    for (int word = 0; word < kProfileWords; ++word) signs_[word] ^= coordinates_[coordinate][word];
  }

  FUGU_HD static Pair last_stage(const Pair (&x)[2 * kProfileQuads]) {
    Pair result = x[0].magnitudes_with(x[kProfileQuads / 2]);
    FUGU_UNROLL
    for (int i = 1; i < 2 * kProfileQuads; ++i) {
      if ((i & kProfileQuads / 2) == 0)
        result = result.larger(x[i].magnitudes_with(x[i + kProfileQuads / 2]));
    }
    return result;
  }

  const CoordinateWords& coordinates_;
  std::uint32_t mask_;
  std::uint32_t signs_[kProfileWords];
};

}  // namespace fugu::kernels
