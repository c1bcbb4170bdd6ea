#include "fugu/format/detail/dm_crypt.hpp"

#include "fugu/auth/digest.hpp"

namespace fugu::format {

using engine::Op;

std::optional<SectorMode> sector_mode(std::string_view name) {
  constexpr std::string_view kEssiv = "cbc-essiv:";
  if (name == "ecb") return SectorMode{SectorIv::none, {}};
  if (name == "cbc-plain" || name == "plain" || name.empty()) return SectorMode{SectorIv::plain, {}};
  if (name == "cbc-plain64") return SectorMode{SectorIv::plain64, {}};
  if (name.starts_with(kEssiv)) return SectorMode{SectorIv::essiv, std::string(name.substr(kEssiv.size()))};
  return std::nullopt;
}

SectorCipher::SectorCipher(const SectorMode& mode, std::span<const std::byte> key) : iv_(mode.iv) {
  cipher::expand(key, schedule_);
  if (iv_ == SectorIv::essiv) cipher::expand(auth::digest(mode.essiv_hash, {key}).span(), iv_schedule_);
}

// In the form of Segment::iv; the number itself is little-endian.
core::WipedVector<std::uint64_t> SectorCipher::ivs(engine::Engine& engine, std::uint64_t first,
                                                   std::size_t count) const {
  constexpr std::uint64_t kLow = 0xffffffff;
  if (iv_ == SectorIv::essiv) return encrypted_numbers(engine, iv_schedule_, first, count);
  core::WipedVector<std::uint64_t> ivs(count);
  for (std::size_t i = 0; i < count; ++i)
    ivs[i] = core::byte_swap(iv_ == SectorIv::plain ? (first + i) & kLow : first + i);
  return ivs;
}

void SectorCipher::decrypt(engine::Engine& engine, std::span<std::byte> sectors, std::uint64_t first) const {
  if (sectors.empty()) return;
  if (iv_ != SectorIv::none)
    return decrypt_cbc_sectors(engine, schedule_, core::ByteOrder::big, sectors,
                               ivs(engine, first, sectors.size() / kSectorBytes));
  const engine::Segment segment{.schedule = &schedule_, .in = sectors, .out = sectors};
  engine.run(Op::ecb_decrypt, {&segment, 1});
}

}  // namespace fugu::format
