// The header of a LUKS1 image. Private to luks1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fugu/format/detail/dm_crypt.hpp"

namespace fugu::format {

inline constexpr std::size_t kLuksHeaderBytes = 592;

struct KeySlot {
  unsigned number = 0;  // 0 to 7
  std::uint32_t iterations = 0;
  std::vector<std::byte> salt;
  std::uint64_t offset = 0;  // of its key material, in bytes
  std::uint32_t stripes = 0;
};

struct LuksHeader {
  std::string mode;  // as stored: "cbc-essiv:sha256"
  std::string hash;  // of PBKDF2 and of the stripes; known to OpenSSL
  SectorMode sectors;
  std::uint64_t payload_offset = 0;  // in bytes
  std::size_t key_bytes = 0;
  std::vector<std::byte> digest;  // of the master key
  std::vector<std::byte> digest_salt;
  std::uint32_t digest_iterations = 0;
  std::string uuid;
  std::vector<KeySlot> slots;  // those in use

  std::size_t material_bytes(const KeySlot& slot) const { return key_bytes * slot.stripes; }
  std::string describe() const;  // "LUKS1, blowfish-cbc-essiv:sha256, 56-byte key"
};

// Whether this is a LUKS1 image with Blowfish. False for a header too short to tell.
bool is_luks1_blowfish(std::span<const std::byte> head);

// `bytes`: kLuksHeaderBytes of them. Throws Error{unknown_format} for an image that only dm-crypt can open,
// Error{damaged} for an inconsistent header.
LuksHeader read_luks_header(std::span<const std::byte> bytes);

}  // namespace fugu::format
