// The word that was probably meant.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "fugu/export.hpp"

namespace fugu::format {

// The one of `words` nearest to `given`: one is a prefix of the other, or few letters were changed, added,
// omitted or swapped. Empty if none is near.
FUGU_EXPORT std::optional<std::string_view> nearest_word(std::string_view given,
                                                         std::span<const std::string_view> words);

}  // namespace fugu::format
