// The word that was probably meant.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace fugu::cli {

// The one of `words` nearest to `given`: one is a prefix of the other, or few letters were changed, added,
// omitted or swapped. Empty if none is near.
std::optional<std::string_view> nearest_word(std::string_view given,
                                             const std::vector<std::string_view>& words);

}  // namespace fugu::cli
