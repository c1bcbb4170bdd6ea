// The text of fugu sbox --conventions.
#pragma once

#include <string_view>

namespace fugu::cli {

extern const std::string_view kConventions;

}  // namespace fugu::cli
