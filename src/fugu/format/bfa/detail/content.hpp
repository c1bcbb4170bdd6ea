// The plaintext of a .bfa: a header, the content, possibly compressed, and its CRC-32. Private to bfa.
#pragma once

#include "fugu/format/detail/inflate.hpp"

namespace fugu::format {

// Whether the decrypted first bytes, at least four, are those of an inner header.
bool is_bfa_content(std::span<const std::byte> beginning);

// Takes the decrypted bytes, `bytes` and what fills the last block, and passes the content on. Throws
// Error{damaged} for an inconsistent header, for more bytes, and from finish() when size or CRC-32 differ.
std::unique_ptr<stream::Sink> bfa_content(stream::Sink& inner, std::uint64_t bytes, OutputLimit limit);

}  // namespace fugu::format
