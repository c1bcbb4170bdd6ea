// Formats that are small by nature are read and written whole. Private to format.
#pragma once

#include <string_view>
#include <vector>

#include "fugu/format/detail/lookahead.hpp"

namespace fugu::format {

// Far beyond the passwords of a life.
inline constexpr std::size_t kMostWholeBytes = std::size_t{256} << 20;

// All that `source` still has. Throws Error{damaged} where that is more than kMostWholeBytes: "too long for
// WHAT".
std::vector<std::byte> take_all(Lookahead& source, std::string_view what);

}  // namespace fugu::format
