// Nonstandard variants of SHA-1 (FIPS 180-4), which no library offers. Private to format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/core/block.hpp"

namespace fugu::format {

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
