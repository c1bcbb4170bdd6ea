// The word that was perhaps meant.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace fugu::cli {

// The one of `words` nearest to `given`: one begins with the other, or few letters were changed, added, left
// out or swapped. Nothing when none is near.
std::optional<std::string_view> nearest_word(std::string_view given,
                                             const std::vector<std::string_view>& words);

}  // namespace fugu::cli
