// Many messages under one secret and one recipe, which is not stored with them: lines of `openssl enc`, say.
// One short message is seldom enough to find the recipe for certain; several together are. Private to format.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fugu/format/codec.hpp"
#include "fugu/format/judge/judge.hpp"

namespace fugu::format {

// A message without what stands before its ciphertext.
struct TrialMessage {
  std::span<const std::byte> ciphertext;
  RecipeInput input;
};

// Tries `recipes`, ordered as for try_recipes(), on several messages and adds up the evidence; one message in
// 64 may be damaged. The best first. `until_decided`: later messages are left out once the best recipe has
// kSufficientEvidenceBits and leads all other contents by as many.
std::vector<Tried> try_recipes(engine::Engine& engine, std::vector<Recipe> recipes,
                               const auth::SecretBytes& secret, std::span<const TrialMessage> messages,
                               bool until_decided);

// How the messages of a format are opened.
struct RecipesOfMessages {
  std::vector<Recipe> recipes;  // that the options leave open
  // Consumes everything before the ciphertext. Throws as Codec::open.
  std::function<RecipeInput(Lookahead& message)> read_input;
  // The one of several recipes, tried on messages of which one is given. Throws as Codec::open. Called before
  // recipe_messages() returns.
  std::function<Verdict(std::vector<Tried> all, Lookahead& ciphertext)> choose;
  std::function<bool(const Tried& found)> keeps_all;  // whether the removed padding cannot have been data
  std::string (*describe)(const Recipe& recipe) = nullptr;
};

// `some`: as Codec::open_messages has them.
std::unique_ptr<MessageCipher> recipe_messages(RecipesOfMessages how, const auth::SecretBytes& secret,
                                               std::span<const core::WipedBytes> some);

}  // namespace fugu::format
