#include "fugu/format/kwallet/detail/keys.hpp"

#include <algorithm>
#include <array>

#include "fugu/auth/kdf.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/format/detail/sha1_variant.hpp"

namespace fugu::format {
namespace {

constexpr int kRounds = 2000;
constexpr std::size_t kPieceBytes = 16;
constexpr std::size_t kMostPieces = 4;
constexpr std::size_t kKeyBytes = 56;
constexpr std::uint32_t kIterations = 50000;

// Piece `index` of the passphrase; the last one takes the rest.
std::span<const std::byte> piece_of(std::span<const std::byte> passphrase, std::size_t index) {
  const auto from = passphrase.subspan(index * kPieceBytes);
  return index + 1 == kMostPieces ? from : from.first(std::min(from.size(), kPieceBytes));
}

Sha1Digest hashed(std::span<const std::byte> piece, core::ByteOrder words) {
  Sha1Digest digest = sha1_variant(piece, {.words = words});
  for (int round = 1; round < kRounds; ++round) digest = sha1_variant(digest, {.words = words});
  return digest;
}

}  // namespace

auth::SecretBytes hashed_wallet_key(const auth::SecretBytes& passphrase, core::ByteOrder words) {
  const std::size_t pieces =
      std::clamp((passphrase.size() + kPieceBytes - 1) / kPieceBytes, std::size_t{1}, kMostPieces);
  const std::size_t bytes = std::min(pieces * sizeof(Sha1Digest), kKeyBytes);
  const std::size_t share = pieces == kMostPieces ? kKeyBytes / kMostPieces : sizeof(Sha1Digest);
  auth::SecretBytes key(bytes);
  for (std::size_t i = 0; i < pieces; ++i) {
    Sha1Digest digest = hashed(piece_of(passphrase.span(), i), words);
    const std::size_t taken = std::min(share, bytes - i * share);
    std::ranges::copy(std::span(digest).first(taken), key.span().subspan(i * share).begin());
    core::wipe(digest.data(), digest.size());
  }
  return key;
}

auth::SecretBytes derived_wallet_key(const auth::SecretBytes& passphrase, std::span<const std::byte> salt) {
  return auth::pbkdf2("sha512", passphrase, salt, kIterations, kKeyBytes);
}

}  // namespace fugu::format
