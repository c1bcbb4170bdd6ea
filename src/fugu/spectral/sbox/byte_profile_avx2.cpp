// Walsh transforms of 32 components at a time in bytes: all stages but the last fit modulo 256, and the last
// is |u| + |v|, half of which fits.
#include <immintrin.h>

#include <algorithm>
#include <bit>

#include "fugu/core/butterfly.hpp"
#include "fugu/spectral/sbox/detail/byte_profile.hpp"

#define FUGU_TARGET [[gnu::target("avx2")]]

namespace fugu::spectral::detail {
namespace avx2 {
namespace {

using Vector = __m256i;

FUGU_TARGET [[gnu::always_inline]] inline Vector load(const std::int8_t* from) {
  return _mm256_load_si256(reinterpret_cast<const Vector*>(from));
}
FUGU_TARGET [[gnu::always_inline]] inline void store(std::int8_t* to, Vector from) {
  _mm256_store_si256(reinterpret_cast<Vector*>(to), from);
}

template <std::size_t count>
FUGU_TARGET [[gnu::always_inline]] inline void butterflies(Vector (&x)[count]) {
  FUGU_UNROLL
  for (std::size_t distance = 1; distance < count; distance *= 2) {
    FUGU_UNROLL
    for (std::size_t i = 0; i < count; ++i) {
      if ((i & distance) != 0) continue;
      const Vector sum = _mm256_add_epi8(x[i], x[i + distance]);
      x[i + distance] = _mm256_sub_epi8(x[i], x[i + distance]);
      x[i] = sum;
    }
  }
}

struct Workspace {
  alignas(32) std::int8_t signs[kBytePoints];  // (-1)^(b.S(x)) of the block's mask with its low bits 0
  alignas(32) std::int8_t values[kBytePoints][kByteLanes];
};

FUGU_TARGET void multiply_signs(Workspace& work, const std::int8_t* coordinate) {
  for (std::size_t x = 0; x < kBytePoints; x += kByteLanes)
    store(work.signs + x, _mm256_sign_epi8(load(work.signs + x), load(coordinate + x)));
}

// Stages 0 to 2.
FUGU_TARGET [[gnu::always_inline]] inline void first_pass(const ByteBox& box, Workspace& work) {
  for (std::size_t x = 0; x < kBytePoints; x += 8) {
    Vector v[8];
    FUGU_UNROLL
    for (std::size_t i = 0; i < 8; ++i)
      v[i] = _mm256_sign_epi8(load(box.patterns[x + i]), _mm256_set1_epi8(work.signs[x + i]));
    butterflies(v);
    FUGU_UNROLL
    for (std::size_t i = 0; i < 8; ++i) store(work.values[x + i], v[i]);
  }
}

// Stages 3 to 5.
FUGU_TARGET [[gnu::always_inline]] inline void second_pass(Workspace& work) {
  for (std::size_t block = 0; block < kBytePoints; block += 64) {
    for (std::size_t x = block; x < block + 8; ++x) {
      Vector v[8];
      FUGU_UNROLL
      for (std::size_t i = 0; i < 8; ++i) v[i] = load(work.values[x + 8 * i]);
      butterflies(v);
      FUGU_UNROLL
      for (std::size_t i = 0; i < 8; ++i) store(work.values[x + 8 * i], v[i]);
    }
  }
}

// Stages 6 and 7: max |W| / 2 of each lane.
FUGU_TARGET [[gnu::always_inline]] inline Vector last_pass(const Workspace& work) {
  Vector largest = _mm256_setzero_si256();
  for (std::size_t x = 0; x < 64; ++x) {
    Vector v[4];
    FUGU_UNROLL
    for (std::size_t i = 0; i < 4; ++i) v[i] = load(work.values[x + 64 * i]);
    const Vector sums[2] = {_mm256_abs_epi8(_mm256_add_epi8(v[0], v[1])),
                            _mm256_abs_epi8(_mm256_add_epi8(v[2], v[3]))};
    const Vector differences[2] = {_mm256_abs_epi8(_mm256_sub_epi8(v[0], v[1])),
                                   _mm256_abs_epi8(_mm256_sub_epi8(v[2], v[3]))};
    largest = _mm256_max_epu8(largest, _mm256_avg_epu8(sums[0], sums[1]));
    largest = _mm256_max_epu8(largest, _mm256_avg_epu8(differences[0], differences[1]));
  }
  return largest;
}

void take(const std::uint8_t (&lanes)[kByteLanes], std::uint32_t mask, ByteProfile& profile) {
  unsigned most = 0;
  for (const std::uint8_t lane : lanes) {
    ++profile.counts[lane];
    most = std::max<unsigned>(most, lane);
  }
  if (most < profile.largest) return;
  if (most > profile.largest) profile.masks.clear();
  profile.largest = most;
  for (std::size_t i = 0; i < kByteLanes; ++i) {
    if (lanes[i] == most) profile.masks.push_back(mask | static_cast<std::uint32_t>(i));
  }
}

FUGU_TARGET void run(const ByteBox& box, std::uint64_t first, std::uint64_t last, ByteProfile& profile) {
  Workspace work;
  std::ranges::fill(work.signs, std::int8_t{1});
  std::uint64_t mask = core::gray_code(first);
  for (std::uint64_t bits = mask; bits != 0; bits &= bits - 1)
    multiply_signs(work, box.coordinates[kByteLaneBits + std::countr_zero(bits)]);
  for (std::uint64_t block = first; block < last; ++block) {
    if (block != first) {
      const int bit = std::countr_zero(block);
      mask ^= std::uint64_t{1} << bit;
      multiply_signs(work, box.coordinates[kByteLaneBits + bit]);
    }
    first_pass(box, work);
    second_pass(work);
    alignas(32) std::uint8_t lanes[kByteLanes];
    _mm256_store_si256(reinterpret_cast<Vector*>(lanes), last_pass(work));
    if (mask == 0) lanes[0] = 0;
    take(lanes, static_cast<std::uint32_t>(mask << kByteLaneBits), profile);
    if (mask == 0) --profile.counts[0];
  }
}

}  // namespace
}  // namespace avx2

void profile_blocks_avx2(const ByteBox& box, std::uint64_t first, std::uint64_t last, ByteProfile& profile) {
  avx2::run(box, first, last, profile);
}

}  // namespace fugu::spectral::detail
