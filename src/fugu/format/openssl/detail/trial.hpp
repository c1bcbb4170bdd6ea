// Finding out with which parameters a passphrase opens a file of `openssl enc`. Private to openssl.
#pragma once

#include <vector>

#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/recipe.hpp"

namespace fugu::format {

// The one of `all`, which try_recipes() returned, to decrypt `source` with; `accepted`: also where the
// evidence is weak. Throws Error{wrong_key} or Error{unknown_format} when that cannot be said.
Tried choose_salted(std::vector<Tried> all, const Lookahead& source, bool accepted);

// The only one there is: throws Error{wrong_key} where the padding rules it out.
Tried only_salted(std::vector<Tried> all);

// Throws Error{damaged} where no recipe gives a ciphertext of this size.
void check_size(const std::vector<Recipe>& recipes, const Lookahead& source);

}  // namespace fugu::format
