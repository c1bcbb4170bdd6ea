// SHA-1 (FIPS 180-4) as some programs have it, which no library offers. Private to format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/core/block.hpp"

namespace fugu::format {

using Sha1Digest = std::array<std::byte, 20>;

// `words`: how the words of a message block are loaded and those of the digest stored; big is SHA-1's own
// way. The message's length in its padding is big-endian either way (KWallet of KDE Frameworks 5 and 6).
// `zero_state`: the chain of blocks begins with zeros (Password Safe 1 and 2).
struct Sha1Variant {
  core::ByteOrder words = core::ByteOrder::big;
  bool zero_state = false;
  // The length never stands behind 52 to 55 bytes of the last block, but in a block more (OpenOffice).
  bool is_openoffice = false;
};

// Copies of the message that it makes are wiped.
Sha1Digest sha1_variant(std::span<const std::byte> message, const Sha1Variant& variant);

}  // namespace fugu::format
