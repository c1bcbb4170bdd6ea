// Session keys from a passphrase (RFC 9580, 5.3, version 4). Private to openpgp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/engine/engine.hpp"

namespace fugu::format {

inline constexpr unsigned kBlowfishId = 4;
inline constexpr std::size_t kSessionKeyBytes = 16;

struct SessionKeyPacket {
  unsigned cipher = 0;                 // of the data; of the session key where one is stored
  unsigned s2k_kind = 0;               // 0, 1 or 3
  unsigned digest = 0;                 // OpenPGP's number
  std::vector<std::byte> salt;         // kinds 1 and 3
  std::uint64_t count = 0;             // kind 3: bytes to hash
  std::vector<std::byte> session_key;  // encrypted; empty: the passphrase's key is the session key
};

// Empty for unsupported versions and kinds. Throws Error{damaged} for a truncated body.
std::optional<SessionKeyPacket> parse_session_key(std::span<const std::byte> body);

std::string cipher_name_of(unsigned id);  // "AES-256"
std::string digest_name_of(unsigned id);  // OpenSSL's name; empty for an unknown one

// The Blowfish key that this packet and passphrase give; empty if it is for another cipher.
std::optional<auth::SecretBytes> session_key(engine::Engine& engine, const SessionKeyPacket& packet,
                                             const auth::SecretBytes& passphrase);

}  // namespace fugu::format
