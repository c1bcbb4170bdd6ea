// Chooses among the recipes that were tried. Private to format.
#pragma once

#include <string>
#include <vector>

#include "fugu/format/detail/recipe.hpp"

namespace fugu::format {

// The lead in bits that the best recipe needs over the second best.
inline constexpr double kNeededLeadBits = 8;

// A match this likely by chance is not worth a hint at the options that accept it.
inline constexpr double kWeakMatchBits = 4;

// "bf-cbc, ..." or "Crypt::CBC, ...", and the options that leave nothing to try.
struct RecipeNames {
  std::string (*describe)(const Recipe& recipe);
  std::string (*flags)(const Recipe& recipe);
};

// Whether the secret may be right: the recipe is possible and its bits are worth a hint.
bool is_weak_match(const Tried& tried);

// Whether the evidence is enough to decrypt without asking the user.
bool is_sufficient_match(const Tried& tried);

// The first of `all`, the result of try_recipes(), whose first is at least a weak match. Throws
// Error{unknown_format} when another fits nearly as well with a different plaintext, and as
// require_evidence() does.
Tried choose_recipe(std::vector<Tried> all, bool accepted, const RecipeNames& names);

}  // namespace fugu::format
