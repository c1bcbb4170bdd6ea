#include "fugu/format/luks1/detail/sectors.hpp"

#include "fugu/auth/digest.hpp"

namespace fugu::format {
namespace {

using engine::Op;

}  // namespace

SectorCipher::SectorCipher(engine::Engine& engine, const LuksHeader& header, std::span<const std::byte> key)
    : engine_(engine), iv_(header.iv) {
  cipher::expand(key, schedule_);
  if (iv_ == SectorIv::essiv) cipher::expand(auth::digest(header.essiv_hash, {key}).span(), iv_schedule_);
}

// In the form of Segment::iv; the number itself is little-endian.
core::WipedVector<std::uint64_t> SectorCipher::ivs(std::uint64_t first, std::size_t count) const {
  constexpr std::uint64_t kLow = 0xffffffff;
  if (iv_ == SectorIv::essiv) return encrypted_numbers(engine_, iv_schedule_, first, count);
  core::WipedVector<std::uint64_t> ivs(count);
  for (std::size_t i = 0; i < count; ++i)
    ivs[i] = core::byte_swap(iv_ == SectorIv::plain ? (first + i) & kLow : first + i);
  return ivs;
}

void SectorCipher::decrypt(std::span<std::byte> sectors, std::uint64_t first) const {
  if (sectors.empty()) return;
  if (iv_ != SectorIv::none)
    return decrypt_cbc_sectors(engine_, schedule_, core::ByteOrder::big, sectors,
                               ivs(first, sectors.size() / kSectorBytes));
  const engine::Segment segment{.schedule = &schedule_, .in = sectors, .out = sectors};
  engine_.run(Op::ecb_decrypt, {&segment, 1});
}

}  // namespace fugu::format
