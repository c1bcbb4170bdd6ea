// Reads small inputs whole, for formats that need it. Private to format.
#pragma once

#include <string_view>

#include "fugu/core/wiped.hpp"
#include "fugu/format/detail/lookahead.hpp"

namespace fugu::format {

// Far more than any password file holds.
inline constexpr std::size_t kMostWholeBytes = std::size_t{256} << 20;

// The rest of `source`. Throws Error{damaged} if that is more than kMostWholeBytes: "too long for WHAT".
core::WipedBytes take_all(Lookahead& source, std::string_view what);

}  // namespace fugu::format
