// A recipe: all parameters that turn a passphrase and a ciphertext into plaintext, found by trial when a file
// does not store them. Private to format.
//
// Each recipe is judged by its prior, by its padding and by how its beginning looks, all in bits: the sum is
// log2(prior * P(seen | this recipe wrote it) / P(seen | noise)). Summed over the recipes the quantity under
// the logarithm has mean 1 when the passphrase is wrong, so that some recipe reaches b bits at most once in
// 2^b. n bytes of padding are worth 8n bits less 3 for the eight possible lengths.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/core/wiped.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/job.hpp"

namespace fugu::format {

// literal: the secret is the key. md5_chain: each MD5 covers everything before it, beginning with the
// passphrase; md5_chain_of_cut: the same for a passphrase cut to the key's length.
enum class Derivation : std::uint8_t { bytes_to_key, pbkdf2, md5_chain, md5_chain_of_cut, literal };

// The header of openssl enc, before a salt; other programs have it too.
inline constexpr std::string_view kSalted = "Salted__";
inline constexpr std::size_t kSaltBytes = 8;

// A derivation with more iterations is tried only if nothing before it was sufficient.
inline constexpr std::uint32_t kDearIterations = 10'000;

using TailPadding = mode::Padding;  // of any mode
using mode::padding_bytes;

struct Recipe {
  Derivation derivation = Derivation::bytes_to_key;
  std::string digest = "md5";
  std::uint32_t iterations = 1;  // pbkdf2, bytes_to_key
  std::size_t key_bytes = 56;
  mode::Mode mode = mode::Mode::cbc;
  TailPadding padding = TailPadding::pkcs7;
  double prior = 1;           // the prior probability; those of all recipes tried together sum to 1
  bool is_crypt_cbc = false;  // Crypt::CBC's files begin like those of openssl enc
  core::ByteOrder words = core::ByteOrder::big;
  core::ByteOrder counter = core::ByteOrder::big;  // ctr
};

// A value of one parameter, and its prior probability.
template <class T>
struct Guess {
  T value;
  double prior;
};

// Parameters that a file or a caller gives beside the secret.
struct RecipeInput {
  std::vector<std::byte> salt;
  std::optional<mode::Iv> iv;  // empty: derived, after the key
};

// Whether it can produce a ciphertext of this size.
bool can_have_size(const Recipe& recipe, std::uint64_t bytes);

enum class PaddingState : std::uint8_t { unseen, valid, invalid };

// A recipe that was tried.
struct Tried {
  Recipe recipe;
  auth::SecretBytes key;
  mode::Iv iv;
  double bits = 0;                              // prior included
  PaddingState padding = PaddingState::unseen;  // invalid: impossible, whatever the bits
  std::size_t padding_bytes = 0;
  core::WipedBytes beginning;  // the plaintext's
  bool is_all = false;         // beginning is the whole plaintext
};

bool is_possible(const Tried& tried);

bool have_one_key_and_iv(const Tried& a, const Tried& b);

// Whether both have the same plaintext, padding included.
bool have_one_plaintext(const Tried& a, const Tried& b);

// What `bytes` bytes of a padding are worth; of iso10126 only the last byte is known.
double bits_of_padding(TailPadding padding, std::size_t bytes);

// Any part of the ciphertext, in the mode and with the words of `tried`.
core::WipedBytes decrypted(engine::Engine& engine, const cipher::Schedule& schedule, const Tried& tried,
                           std::span<const std::byte> ciphertext, const mode::Iv& iv);

// Tries `recipes` on the rest of `source`. Those of one derivation are adjacent, and within it those of one
// key length. Returns the best first.
std::vector<Tried> try_recipes(engine::Engine& engine, const std::vector<Recipe>& recipes,
                               const auth::SecretBytes& secret, const RecipeInput& input, Lookahead& source);

// The same in the order of `recipes`, which ends before an expensive derivation if an earlier recipe
// suffices.
std::vector<Tried> try_in_order(engine::Engine& engine, const std::vector<Recipe>& recipes,
                                const auth::SecretBytes& secret, const RecipeInput& input, Lookahead& source);

// The recipe, with the key and the IV derived from the secret.
Tried keyed(const Recipe& recipe, const auth::SecretBytes& secret, const RecipeInput& input);

mode::Settings settings_of(const Tried& tried);  // without padding

// Whether `a` comes before `b` in the order of try_recipes().
bool is_better(const Tried& a, const Tried& b);

// Whether both give the same plaintext, so that nothing has to decide between them.
bool gives_same(const Tried& a, const Tried& b);

// Encrypts with a recipe of pkcs7 padding.
void seal_recipe(const Job& job, const Recipe& recipe, const auth::SecretBytes& secret,
                 const RecipeInput& input);

// Decrypts the job's source with the recipe that was found, and removes the padding.
void run_recipe(const Job& job, const Tried& found);

// The lead in bits that the best recipe needs over the second best.
inline constexpr double kNeededLeadBits = 8;

// With fewer bits a match is not worth a hint at the options that accept it.
inline constexpr double kWeakMatchBits = 4;

// A match whose padding fits needs fewer: a usual recipe reaches these with one byte of padding.
inline constexpr double kUsualRecipeBits = -3;

// "bf-cbc, ..." or "Crypt::CBC, ...", and the options that leave nothing to try.
struct RecipeNames {
  std::string (*describe)(const Recipe& recipe);
  std::string (*flags)(const Recipe& recipe);
};

// Whether one of `all`, the result of try_recipes(), is worth a hint: the secret may be right.
bool may_fit(const std::vector<Tried>& all);

// The best of `all`, of which one may_fit(). Throws Error{unknown_format} when another fits nearly as well
// with a different plaintext, and for evidence that is not sufficient unless it is `accepted`.
Tried choose_recipe(std::vector<Tried> all, bool accepted, const RecipeNames& names);

}  // namespace fugu::format
