// The inside of a .bfa: a header, the content, maybe compressed, and its CRC-32. Private to bfa.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "fugu/format/detail/inflate.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::format {

// Whether the deciphered first bytes, four or more, are those of an inner header.
bool is_bfa_content(std::span<const std::byte> beginning);

// Takes the deciphered bytes, `bytes` in all, and passes the content on. Throws Error{damaged} for a header
// that contradicts itself, and from finish() where size or CRC-32 differ.
std::unique_ptr<stream::Sink> bfa_content(stream::Sink& inner, std::uint64_t bytes, OutputLimit limit);

}  // namespace fugu::format
