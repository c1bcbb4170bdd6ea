#include "fugu/format/luks1/detail/sectors.hpp"

#include "fugu/auth/digest.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;
using engine::Op;

}  // namespace

SectorCipher::SectorCipher(engine::Engine& engine, const LuksHeader& header, std::span<const std::byte> key)
    : engine_(engine), iv_(header.iv) {
  cipher::expand(key, schedule_);
  if (iv_ == SectorIv::essiv) cipher::expand(auth::digest(header.essiv_hash, {key}).span(), iv_schedule_);
}

// Memory images in the form of Segment::iv, first byte most significant; the number itself is little-endian.
core::WipedVector<std::uint64_t> SectorCipher::ivs(std::uint64_t first, std::size_t count) const {
  constexpr std::uint64_t kLow = 0xffffffff;
  core::WipedBytes numbers(count * kBlockBytes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t number = iv_ == SectorIv::plain ? (first + i) & kLow : first + i;
    core::store_u64_big(&numbers[i * kBlockBytes], core::byte_swap(number));
  }
  if (iv_ == SectorIv::essiv) {
    const engine::Segment segment{.schedule = &iv_schedule_, .in = numbers, .out = numbers};
    engine_.run(Op::ecb_encrypt, {&segment, 1});
  }
  core::WipedVector<std::uint64_t> ivs(count);
  for (std::size_t i = 0; i < count; ++i) ivs[i] = core::load_u64_big(&numbers[i * kBlockBytes]);
  return ivs;
}

// Passes all sectors to the engine as one CBC chain, which saves a segment per sector. Only each sector's
// first block is then wrong, combined with the last block of the sector before instead of the IV, and is
// corrected.
void SectorCipher::decrypt(std::span<std::byte> sectors, std::uint64_t first) const {
  const std::size_t count = sectors.size() / kSectorBytes;
  if (count == 0) return;
  engine::Segment segment{.schedule = &schedule_, .in = sectors, .out = sectors};
  if (iv_ == SectorIv::none) return engine_.run(Op::ecb_decrypt, {&segment, 1});
  core::WipedVector<std::uint64_t> corrections = ivs(first, count);
  segment.iv = corrections[0];
  for (std::size_t i = 1; i < count; ++i)
    corrections[i] ^= core::load_u64_big(&sectors[i * kSectorBytes - kBlockBytes]);
  engine_.run(Op::cbc_decrypt, {&segment, 1});
  for (std::size_t i = 1; i < count; ++i) {
    std::byte* const block = &sectors[i * kSectorBytes];
    core::store_u64_big(block, core::load_u64_big(block) ^ corrections[i]);
  }
}

}  // namespace fugu::format
