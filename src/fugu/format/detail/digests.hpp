// Digests, checksums and their chains that formats of other programs have. Private to format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/core/block.hpp"

namespace fugu::format {

// ---- by name, as formats append them to their plaintext ----

class Checksum {
 public:
  virtual ~Checksum() = default;
  virtual std::size_t size() const = 0;
  virtual void update(std::span<const std::byte> data) = 0;
  virtual std::vector<std::byte> finish() = 0;
};

// "crc32b" is zlib's CRC-32, "crc32" that of bzip2 and "adler32" zlib's, all least significant byte first;
// other names are OpenSSL's. Throws Error{usage} for unknown names.
std::unique_ptr<Checksum> make_checksum(const std::string& name);

// zlib's CRC-32 of a message.
std::uint32_t crc32b(std::span<const std::byte> message);

// ---- chains that make keys ----

// OpenPGP's string-to-key (RFC 9580, 3.7.1), also used by mcrypt(1). Round j hashes j zero bytes, then salt
// and passphrase repeated to `count` bytes, at least once. The concatenated digests are cut to `key_bytes`.
// Throws Error{usage} for an unknown digest.
auth::SecretBytes s2k(const std::string& digest, const auth::SecretBytes& passphrase,
                      std::span<const std::byte> salt, std::uint64_t count, std::size_t key_bytes);

// SHA-1 of salt and passphrase, then of these and all digests so far, cut to `key_bytes`.
auth::SecretBytes sha1_chain(const auth::SecretBytes& passphrase, std::span<const std::byte> salt,
                             std::size_t key_bytes);

// ---- nonstandard variants of SHA-1 (FIPS 180-4), which no library offers ----

using Sha1Digest = std::array<std::byte, 20>;

// `words`: the order in which words of a message block are loaded and those of the digest stored; big is
// standard. The message length in the padding is big-endian either way (KWallet of KDE Frameworks 5 and 6).
// `zero_state`: the initial state is zero (Password Safe 1 and 2).
struct Sha1Variant {
  core::ByteOrder words = core::ByteOrder::big;
  bool zero_state = false;
  // After 52 to 55 bytes in the last block, the length goes into an additional block (OpenOffice).
  bool is_openoffice = false;
};

// Wipes its copies of the message.
Sha1Digest sha1_variant(std::span<const std::byte> message, const Sha1Variant& variant);

}  // namespace fugu::format
