#include "fugu/format/luks1/detail/unlock.hpp"

#include <algorithm>
#include <array>

#include "fugu/auth/digest.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/auth/mac.hpp"
#include "fugu/core/wipe.hpp"

namespace fugu::format {
namespace {

// Diffuses every bit of a block over all of its pieces: piece j becomes hash(j | piece).
void diffuse(auth::Digest& hash, std::span<std::byte> block) {
  std::array<std::byte, auth::kMaxDigestBytes> digest;
  for (std::uint32_t j = 0; !block.empty(); ++j) {
    const std::span<std::byte> piece = block.first(std::min(hash.size(), block.size()));
    const std::array<std::byte, 4> number{static_cast<std::byte>(j >> 24), static_cast<std::byte>(j >> 16),
                                          static_cast<std::byte>(j >> 8), static_cast<std::byte>(j)};
    hash.update(number).update(piece).finish(digest);
    std::ranges::copy(std::span(digest).first(piece.size()), piece.begin());
    block = block.subspan(piece.size());
  }
  core::wipe(digest.data(), digest.size());
}

// Undoes the anti-forensic splitter, which needs all stripes.
auth::SecretBytes merge(const std::string& hash_name, std::span<const std::byte> stripes,
                        std::size_t key_bytes) {
  auth::Digest hash(hash_name);
  auth::SecretBytes key(key_bytes);
  for (std::size_t at = 0; at < stripes.size(); at += key_bytes) {
    if (at != 0) diffuse(hash, key.span());
    for (std::size_t i = 0; i < key_bytes; ++i) key.data()[i] ^= stripes[at + i];
  }
  return key;
}

auth::SecretBytes key_in(engine::Engine& engine, const LuksHeader& header, const KeySlot& slot,
                         std::span<const std::byte> area, const auth::SecretBytes& passphrase) {
  const auth::SecretBytes slot_key =
      auth::pbkdf2(header.hash, passphrase, slot.salt, slot.iterations, header.key_bytes);
  // The material may end inside a sector: cryptsetup encrypts whole ones.
  const std::size_t bytes = header.material_bytes(slot);
  const std::size_t whole = (bytes + kSectorBytes - 1) / kSectorBytes * kSectorBytes;
  auth::SecretBytes material(area.subspan(static_cast<std::size_t>(slot.offset), whole));
  SectorCipher(header.sectors, slot_key.span()).decrypt(engine, material.span(), 0);
  return merge(header.hash, std::span<const std::byte>(material.span()).first(bytes), header.key_bytes);
}

bool is_master_key(const LuksHeader& header, const auth::SecretBytes& key) {
  const auth::SecretBytes digest =
      auth::pbkdf2(header.hash, key, header.digest_salt, header.digest_iterations, header.digest.size());
  return auth::equal_constant_time(digest.span(), header.digest);
}

}  // namespace

std::optional<Unlocked> unlock_luks(engine::Engine& engine, const LuksHeader& header,
                                    std::span<const std::byte> area, const auth::SecretBytes& passphrase) {
  for (const KeySlot& slot : header.slots) {
    auth::SecretBytes key = key_in(engine, header, slot, area, passphrase);
    if (is_master_key(header, key)) return Unlocked{std::move(key), slot.number};
  }
  return std::nullopt;
}

}  // namespace fugu::format
