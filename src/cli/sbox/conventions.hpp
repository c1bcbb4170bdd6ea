// What fugu sbox --conventions prints.
#pragma once

#include <string_view>

namespace fugu::cli {

extern const std::string_view kConventions;

}  // namespace fugu::cli
