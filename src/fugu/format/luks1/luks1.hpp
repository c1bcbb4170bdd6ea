// LUKS1 images with Blowfish (LUKS On-Disk Format Specification 1.2.3).
//
//   "LUKS" ba be | version 1, u16 | cipher 32 | mode 32 | hash 32 | payload offset, u32 | key bytes, u32 |
//   digest of the master key 20 | its salt 32 | its iterations, u32 | UUID 40 | 8 x key slot { state, u32 |
//   iterations, u32 | salt 32 | key material offset, u32 | stripes, u32 } | ... | payload
//
// Big-endian; offsets count sectors of 512 bytes. A slot's key material is the master key, split into stripes
// and encrypted under PBKDF2 of the passphrase; the master key's digest proves it. The payload is encrypted
// sector by sector with the sector's number as IV, as dm-crypt does.
#pragma once

#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kLuks1Codec;

}  // namespace fugu::format
