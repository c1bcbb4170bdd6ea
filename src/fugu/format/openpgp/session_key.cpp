#include "fugu/format/openpgp/detail/session_key.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/s2k.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kSaltBytes = 8;
constexpr std::byte kVersion{4};

// RFC 9580, 3.7.1.3.
std::uint64_t iterated_bytes(unsigned coded) {
  return std::uint64_t{16 + (coded & 15U)} << ((coded >> 4) + 6);
}

}  // namespace

std::optional<SessionKeyPacket> parse_session_key(std::span<const std::byte> body) {
  std::size_t at = 0;
  const auto take = [&](std::size_t bytes) {
    if (body.size() - at < bytes) throw Error(Errc::damaged, "a packet of OpenPGP ends early");
    at += bytes;
    return body.subspan(at - bytes, bytes);
  };
  const auto number = [&] { return std::to_integer<unsigned>(take(1).front()); };
  if (take(1).front() != kVersion) return std::nullopt;
  SessionKeyPacket packet;
  packet.cipher = number();
  packet.s2k_kind = number();
  if (packet.s2k_kind != 0 && packet.s2k_kind != 1 && packet.s2k_kind != 3) return std::nullopt;
  packet.digest = number();
  if (packet.s2k_kind != 0) {
    const auto salt = take(kSaltBytes);
    packet.salt.assign(salt.begin(), salt.end());
  }
  if (packet.s2k_kind == 3) packet.count = iterated_bytes(number());
  const auto rest = body.subspan(at);
  packet.session_key.assign(rest.begin(), rest.end());
  return packet;
}

std::string cipher_name_of(unsigned id) {
  constexpr std::array<std::string_view, 14> kNames{
      "no cipher", "IDEA",    "TripleDES", "CAST5",   "Blowfish",     "cipher 5",     "cipher 6",
      "AES-128",   "AES-192", "AES-256",   "Twofish", "Camellia-128", "Camellia-192", "Camellia-256"};
  return id < kNames.size() ? std::string(kNames[id]) : "cipher " + std::to_string(id);
}

std::string digest_name_of(unsigned id) {
  constexpr std::array<std::string_view, 12> kNames{"", "md5", "sha1",   "ripemd160", "",       "",
                                                    "", "",    "sha256", "sha384",    "sha512", "sha224"};
  return id < kNames.size() ? std::string(kNames[id]) : "";
}

std::optional<auth::SecretBytes> session_key(engine::Engine& engine, const SessionKeyPacket& packet,
                                             const auth::SecretBytes& passphrase) {
  const std::string digest = digest_name_of(packet.digest);
  if (packet.cipher != kBlowfishId || digest.empty()) return std::nullopt;
  auth::SecretBytes key = s2k(digest, passphrase, packet.salt, packet.count, kSessionKeyBytes);
  if (packet.session_key.empty()) return key;
  if (packet.session_key.size() != 1 + kSessionKeyBytes) return std::nullopt;
  cipher::Schedule schedule;
  cipher::expand(key.span(), schedule);
  mode::Settings settings;
  settings.mode = mode::Mode::cfb64;
  settings.iv = mode::Iv{};  // RFC 9580, 5.3
  auth::SecretBytes stored{std::span<const std::byte>(packet.session_key)};
  transform(engine, schedule, settings, mode::Direction::decrypt, stored.span());
  if (std::to_integer<unsigned>(stored.span().front()) != kBlowfishId) return std::nullopt;
  return auth::SecretBytes(std::as_const(stored).span().subspan(1));
}

}  // namespace fugu::format
