// What a guess chooses from: per axis a table of values, each with the options that mean it and its prior
// probability. Private to guess.
#pragma once

#include <array>

#include "fugu/format/guess/guess.hpp"
#include "fugu/format/judge/story.hpp"
#include "fugu/format/raw/raw.hpp"
#include "fugu/format/recognition.hpp"

namespace fugu::format {

// The input, decoded.
struct Spelled {
  std::string options;  // "⟦hex⟧ ", "⟦lines⟧ ⟦hex⟧ "
  double prior = 1;
  std::vector<std::vector<std::byte>> messages;  // one, or some of the lines
  bool is_all = true;
  bool are_lines = false;
  bool may_be_wrapped = false;  // they are as long as those of one message
  // Whether decrypt refuses a single message because its lines look like many; [1]: in modes of whole blocks.
  std::array<bool, 2> is_refused = {};
};

// Where each line is a message, one line in eight may be damaged or begin differently.
constexpr bool are_too_many(std::size_t damaged, std::size_t lines) {
  return 8 * damaged > lines;
}

// The spellings in which `text`, the beginning of the input, can be read.
// `most_lines`: of a text of many messages.
std::vector<Spelled> spellings(std::span<const std::byte> text, bool is_all, std::size_t most_lines);

// Where the IV may be.
struct GuessedIv {
  std::string options = "";  // " ⟦iv prefix⟧"
  double prior = 1;
  RawParameters how = {};
  bool is_none = false;     // of ecb
  bool is_usual = true;     // tried under every key
  bool is_unknown = false;  // not that of the options: the first 8 bytes of the plaintext are lost
};
// Unless one is given, the unknown one comes before all others.
std::vector<GuessedIv> ivs(const std::string& given);

// A key made from the secret.
struct GuessedKey {
  auth::SecretBytes key;
  cipher::Schedule schedule;
  std::string steps;  // as RawParameters::key_steps
  double prior = 1;
  bool is_usual = true;   // tried behind a header of every size
  GuessedIv own_iv = {};  // the key's first bytes

  std::string options() const { return steps.empty() ? "" : " ⟦key-steps " + steps + "⟧"; }
};

// Of different bytes.
std::vector<GuessedKey> keys(const auth::SecretBytes& secret);

// The recipes of raw for one origin of the IV and one order of words; `prior` is that of all of them.
// `data_bytes`: 0 if the end is not seen.
std::vector<Recipe> raw_recipes(const GuessedIv& iv, core::ByteOrder words, std::size_t data_bytes,
                                double prior);

// Whether each line of a message shows the recipe too, but for the padding at its end.
bool fits_parts(const Recipe& recipe);

// "⟦format raw⟧ ⟦mode ecb⟧ ⟦pad zero⟧ ⟦words le⟧", or those of openssl or cryptcbc.
std::string options_of(const Recipe& recipe);

// A salt's place, with its recipes.
struct GuessedSalt {
  std::string options;           // "⟦nosalt⟧"
  std::size_t header_bytes = 0;  // before the ciphertext
  RecipeInput input;
  std::vector<Recipe> recipes;
};
GuessedSalt salt_of(std::span<const std::byte> data, const GuessGiven& given);

}  // namespace fugu::format
