// Finds the parameters with which a passphrase opens a file of `openssl enc`. Private to openssl.
#pragma once

#include <vector>

#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/recipe.hpp"

namespace fugu::format {

// The element of `all`, the result of try_recipes(), to decrypt `source` with. `accepted` allows weak
// evidence. Throws Error{wrong_key} or Error{unknown_format} if there is none.
Tried choose_salted(std::vector<Tried> all, const Lookahead& source, bool accepted);

// The only recipe: throws Error{wrong_key} if the padding rules it out.
Tried only_salted(std::vector<Tried> all);

// Throws Error{damaged} if no recipe gives a ciphertext of this size.
void check_size(const std::vector<Recipe>& recipes, const Lookahead& source);

}  // namespace fugu::format
