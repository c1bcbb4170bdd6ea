// Transfers in pieces, on several threads at a time. Private to stream.
#pragma once

#include <cstddef>

#include "fugu/threads/pieces.hpp"

namespace fugu::stream {

using threads::for_each_piece;

// Smaller transfers, and those of one thread, are not worth sharing out.
inline constexpr std::size_t kLeastSharedBytes = std::size_t{2} << 20;

}  // namespace fugu::stream
