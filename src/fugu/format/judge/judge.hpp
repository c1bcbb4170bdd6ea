// The judge: what a file is, how sure that is, and what may be taken off its end. Private to format.
//
// 1. try_recipes() makes the stories of all recipes (story.hpp). Recipes are what a format can be; its table
//    of them gives each a prior. To add one, or to change how likely it is, edit that table alone
//    (detail/recipes.cpp, guess/axes.cpp): the priors of a table sum to 1.
// 2. Little is decrypted at first: kFirstBytes, and the last blocks where the mode allows. Stories that this
//    leaves within kNeededLeadBits * 2 of the best, in another mode or under another key, are then read up to
//    64 KiB. What is not decrypted counts as noise, which favours no story.
// 3. A damaged file is a story too: cut at some byte, or its end changed. It costs kDamageBits. That the
//    secret is right is asked without them: with kPlausibleBits, the file is damaged and the secret is not
//    wrong.
// 4. choose_recipe() decides among contents: stories that give the same bytes are one.
//      the secret       all stories together reach kSufficientEvidenceBits
//      the content      the best leads the next by kNeededLeadBits, and --rm asks kSureLeadBits
//      the end          of contents that differ there alone, the longest, unless a shorter one leads it by
//                       kSufficientEvidenceBits; zeros and spaces stay, since data may end in them
//    Whatever lies between is the user's to decide, and the error names the options.
// 5. Where the figures come from. kSufficientEvidenceBits and the two leads are what is promised. How much is
//    read is bounded by the time of trials: 0.3 s. Lengths follow from blocks of 8 bytes: log2(1/8) = -3, and
//    a count from 1 to 8 in a byte is 5 bits. All other shares, priors and counts are estimates, and one that
//    is wrong by a factor of two costs one bit; they stay as long as tools/judge shows nothing that opens
//    wrong with them (RECOGNITION.md).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fugu/error.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/judge/story.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {

// A derivation with more iterations is tried only if nothing before it was sufficient.
inline constexpr std::uint32_t kDearIterations = 10'000;

// One file in 2^19 was cut, or changed at its end or on its way.
inline constexpr double kDamageBits = -19;

inline constexpr double kNeededLeadBits = 20;
inline constexpr double kSureLeadBits = 40;

// With fewer bits a match is not worth a hint at the options that accept it.
inline constexpr double kWeakMatchBits = 4;

// Tries `recipes` on the rest of `source`. Those of one derivation are adjacent, and within it those of one
// key length, and of one mode. Returns the stories, best first.
std::vector<Tried> try_recipes(engine::Engine& engine, const std::vector<Recipe>& recipes,
                               const auth::SecretBytes& secret, const RecipeInput& input, Lookahead& source);

bool is_better(const Tried& a, const Tried& b);
void sort_stories(std::vector<Tried>& all);  // best first

// The story to go by.
struct Verdict {
  Tried found;
  double bits = 0;          // of evidence that the secret is right
  bool all_content = true;  // as in Opened
  std::vector<std::string> notes = {};
};

// Thrown for a file whose secret fits, but not its end, or in two ways, as where a change disturbs records:
// with Job::salvage it is decrypted by this story, and what may be data stays at its end.
class DamagedFit : public Error {
 public:
  DamagedFit(Errc code, const std::string& text, Tried story, double bits)
      : Error(code, text), verdict{std::move(story), bits, false} {
    Tried& found = verdict.found;
    found.is_damaged = found.is_damaged || !may_be_data(found.recipe.padding).empty();
  }

  Verdict verdict;
};

// What `choose` returns. Where the job salvages, the story of a DamagedFit is noted and returned.
template <class Choose>
Verdict fitting(const Job& job, Choose choose) {
  try {
    return choose();
  } catch (const DamagedFit& damaged) {
    if (job.salvage == nullptr) throw;
    note_damage(*job.salvage, damaged.text());
    return damaged.verdict;
  }
}

// Damage is rare, but so is a wrong secret under which a damaged file shows so much.
bool fits_but_for_damage(const Tried& tried);

// Of `all`, the result of try_recipes(). Throws Error{unknown_format} when another
// content is nearly as likely, and for evidence that is not sufficient unless it is `accepted`, and
// DamagedFit for a file that was cut or changed.
Verdict choose_recipe(std::vector<Tried> all, bool accepted);

// The only story, whose parameters were given, of what `source` holds. Throws DamagedFit if its length or
// padding rules it out: with {wrong_key} if nothing shows that the secret fits.
Verdict only_recipe(Tried only, const std::string& description, const Lookahead& source);

// Encrypts with a recipe of pkcs7 padding.
void seal_recipe(const Job& job, const Recipe& recipe, const auth::SecretBytes& secret,
                 const RecipeInput& input);

// Decrypts the job's source with the recipe that was found, and removes the padding.
void run_recipe(const Job& job, const Tried& found);

// Many messages under one secret and one recipe, which is not stored with them: lines of `openssl enc`, say.
// One short message is seldom enough to find the recipe for certain; several together are.

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

// How files and messages of a format are opened.
struct RecipesOfFormat {
  std::vector<Recipe> recipes;  // that the options leave open
  // Consumes everything before the ciphertext. Throws as Codec::open.
  std::function<RecipeInput(Lookahead& file)> read_input;
  // Throws what to say where none of `all` may fit.
  void (*refuse)(const std::vector<Tried>& all, const Lookahead& ciphertext);
  bool accepted = false;       // weak evidence suffices
  bool padding_given = false;  // nothing at the end is found by trial
};

// The story of what `source` holds: the only one, or the one that is chosen. Throws as Codec::open.
Verdict find_recipe(const Job& job, const RecipesOfFormat& how, const RecipeInput& input,
                    const auth::SecretBytes& secret, Lookahead& source);

// `some`: as Codec::open_messages has them.
std::unique_ptr<MessageCipher> recipe_messages(RecipesOfFormat how, const auth::SecretBytes& secret,
                                               std::span<const core::WipedBytes> some);

}  // namespace fugu::format
