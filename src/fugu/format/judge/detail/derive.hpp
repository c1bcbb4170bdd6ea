// Parts of a story that only the judge needs. Private to judge.
#pragma once

#include "fugu/format/judge/story.hpp"

namespace fugu::format {

// The bytes from which the key and then the IV are cut. A shorter stream is a prefix of a longer one.
using Stream = std::shared_ptr<const auth::SecretBytes>;
Stream derive(const Recipe& recipe, const auth::SecretBytes& secret, const RecipeInput& input,
              std::size_t bytes);

// Whether one stream serves both.
bool have_one_derivation(const Recipe& a, const Recipe& b);

// Whether the plaintext of two recipes of one key and IV is the same but for its padding.
bool decrypt_alike(const Recipe& a, const Recipe& b);

void cut(const Stream& stream, const RecipeInput& input, Tried& tried);

}  // namespace fugu::format
