#include "fugu/format/openssl/recipes.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "fugu/format/codec.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/known_recipes.hpp"

namespace fugu::format {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kUsualKeyBytes = 16;
constexpr std::size_t kShortKeyBytes = 8;

// So little that one byte of padding behind a usual end outweighs it by kSufficientEvidenceBits.
constexpr double kNopadPrior = 1.0 / (1 << 25);

// For files that begin with "Salted__". The shares here and below are estimates.
constexpr double kOpensslPrior = 0.8;

// Where any program may have written it.
constexpr double kOthersShare = 0.4;

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Those that the options leave open. Of a digest alone, either function.
std::vector<DerivationRow> derivations(const OpensslGiven& given) {
  const std::uint32_t iterations = given.pbkdf2_iterations.value_or(0);
  const char* const digest = given.digest ? given.digest->c_str() : "sha256";
  const bool has_bytes_to_key = digest == "sha256"sv || digest == "md5"sv;
  if (iterations != 0) return {{Derivation::pbkdf2, digest, iterations, 1, 1, 0, 0}};
  const std::uint32_t count = given.bytes_to_key_count;
  if (given.digest && given.pbkdf2_iterations)
    return {{Derivation::bytes_to_key, digest, count, 1, has_bytes_to_key ? 1.0 : 0.0, 0, 0}};
  if (given.digest) {
    const double share = has_bytes_to_key ? 0.5 : 0;
    return {{Derivation::bytes_to_key, digest, count, 0.5, share, 0, 0},
            {Derivation::pbkdf2, digest, kDefaultPbkdf2Iterations, 0.5, 1 - share, 0, 0}};
  }
  std::vector<DerivationRow> rows;
  DerivationRow sum{};
  for (DerivationRow row : kDerivations) {
    if (given.of_any_program) row.openssl += kOthersShare * (row.others - row.openssl);
    const bool is_left_out = given.pbkdf2_iterations && row.derivation != Derivation::bytes_to_key;
    if (is_left_out || row.openssl + row.crypt_cbc == 0) continue;
    if (given.pbkdf2_iterations) row.iterations = count;
    sum.openssl += row.openssl;
    sum.crypt_cbc += row.crypt_cbc;
    rows.push_back(row);
  }
  for (DerivationRow& row : rows) {
    row.openssl /= sum.openssl;
    row.crypt_cbc /= sum.crypt_cbc;
  }
  return rows;
}

std::vector<Guess<Mode>> modes(const OpensslGiven& given) {
  if (given.mode) return {{*given.mode, 1}};
  return {{Mode::cbc, 0.6}, {Mode::ecb, 0.1}, {Mode::cfb64, 0.15}, {Mode::ofb, 0.15}};
}

// When all parameters of `openssl enc` are given, nothing else is tried.
std::vector<Guess<std::size_t>> key_sizes(const OpensslGiven& given, Mode mode) {
  if (given.key_bytes) return {{*given.key_bytes, 1}};
  if (given.mode && derivations(given).size() == 1) return {{kUsualKeyBytes, 1}};
  if (mode::is_padded(mode)) return {{kUsualKeyBytes, 1}};
  return {{kUsualKeyBytes, 0.75}, {kShortKeyBytes, 0.25}};
}

// Without padding only where the user's options leave anything open: with a passphrase hardly anybody wants
// that.
std::vector<Guess<TailPadding>> paddings(const OpensslGiven& given, Mode mode) {
  if (!given.padded || !mode::is_padded(mode)) return {{TailPadding::none, 1}};
  if (given.mode && derivations(given).size() == 1) return {{TailPadding::pkcs7, 1}};
  return {{TailPadding::pkcs7, 1 - kNopadPrior}, {TailPadding::none, kNopadPrior}};
}

// A user who names a cipher of openssl, or leaves out salt or padding, means openssl.
bool may_be_crypt_cbc(const OpensslGiven& given) {
  return !given.mode && given.padded && given.has_header;
}

void add_openssl_recipes(const OpensslGiven& given, const Recipe& derivation, std::vector<Recipe>& into) {
  Recipe recipe = derivation;
  for (const auto& mode : modes(given)) {
    for (const auto& key_bytes : key_sizes(given, mode.value)) {
      for (const auto& padding : paddings(given, mode.value)) {
        recipe.mode = mode.value;
        recipe.padding = padding.value;
        recipe.key_bytes = key_bytes.value;
        recipe.prior = derivation.prior * mode.prior * key_bytes.prior * padding.prior;
        into.push_back(recipe);
      }
    }
  }
}

bool is_unpadded(const Recipe& recipe) {
  return recipe.padding == TailPadding::none && mode::is_padded(recipe.mode);
}

std::string cipher_name(Mode mode) {
  return std::string(kOpensslCiphers[place_of(kOpensslModes, mode)]);
}

std::string derivation_name(const Recipe& recipe) {
  const bool is_pbkdf2 = recipe.derivation == Derivation::pbkdf2;
  const std::string text = (is_pbkdf2 ? "PBKDF2-HMAC-" : "EVP_BytesToKey with ") + upper(recipe.digest);
  if (!is_pbkdf2 && recipe.iterations == 1) return text;
  return text + ", " + std::to_string(recipe.iterations) + " iterations";
}

std::string describe_openssl(const Recipe& recipe) {
  std::string text = cipher_name(recipe.mode) + ", " + derivation_name(recipe);
  if (recipe.key_bytes != kUsualKeyBytes) text += ", key of " + std::to_string(recipe.key_bytes) + " bytes";
  if (is_unpadded(recipe)) text += ", no padding";
  return text;
}

std::string openssl_flags(const Recipe& recipe) {
  const bool is_pbkdf2 = recipe.derivation == Derivation::pbkdf2;
  std::string text = "⟦cipher " + cipher_name(recipe.mode) + "⟧ ⟦md " + recipe.digest + "⟧";
  if (!is_pbkdf2) text += " ⟦no-pbkdf2⟧";
  if (is_pbkdf2 || recipe.iterations != 1) text += " ⟦iter " + std::to_string(recipe.iterations) + "⟧";
  if (recipe.key_bytes != kUsualKeyBytes) text += " ⟦key-bytes " + std::to_string(recipe.key_bytes) + "⟧";
  if (is_unpadded(recipe)) text += " ⟦nopad⟧";
  return text;
}

struct TriedOnes {
  std::string text;  // "bf-cbc; bf-ecb, each under EVP_BytesToKey with SHA256; ...": in a fixed order
  std::size_t count;
};

TriedOnes what_was_tried(const std::vector<Tried>& all) {
  std::set<std::string> ciphers;
  std::set<std::string> derivations;
  for (const Tried& tried : all) {
    if (tried.recipe.is_crypt_cbc) continue;
    ciphers.insert(cipher_name(tried.recipe.mode));
    derivations.insert(derivation_name(tried.recipe));
  }
  return {joined(ciphers, "; ") + ", each under " + joined(derivations, "; "),
          ciphers.size() * derivations.size()};
}

// Blowfish has blocks of 8 bytes, AES and most other ciphers of 16.
std::string_view what_the_length_says(const Lookahead& source) {
  const auto bytes = source.bytes_left();
  if (!bytes) return "";
  if (*bytes % kBlockBytes != 0) return "; bf-cbc and bf-ecb cannot have this length";
  return *bytes % (2 * kBlockBytes) == 0 ? "; perhaps AES or another cipher, which openssl enc -d opens" : "";
}

// The options that add untried parameters, or leave nothing to try.
std::string what_decides(const std::vector<Tried>& all) {
  std::string text = "⟦cipher⟧, ⟦md⟧ and ⟦pbkdf2⟧, ⟦iter⟧ or ⟦no-pbkdf2⟧";
  if (std::ranges::any_of(all, [](const Tried& tried) { return tried.recipe.is_crypt_cbc; }))
    text += ", or ⟦format cryptcbc⟧ and its options where Perl's Crypt::CBC wrote it";
  return text;
}

[[noreturn]] void nothing_matches(const std::vector<Tried>& all, const Lookahead& source) {
  if (source.bytes_left() == std::uint64_t{0}) {
    throw Error(Errc::unknown_format,
                "nothing follows the salt: truncated, or an empty file in a mode without padding; give " +
                    what_decides(all));
  }
  const TriedOnes tried = what_was_tried(all);
  // Of so few, of one message, nothing of a mode without padding need show.
  constexpr std::uint64_t kMaxShort = 3 * kBlockBytes;
  const bool has_streams =
      std::ranges::any_of(all, [](const Tried& t) { return !mode::is_padded(t.recipe.mode); });
  if (const std::uint64_t left = source.bytes_left().value_or(kMaxShort + 1);
      left < kBlockBytes || (has_streams && left <= kMaxShort && all.front().seen.size() == 1))
    throw NoneFits(Errc::undecided,
                   "only " + counted(left, "byte") + (left == 1 ? " follows" : " follow") +
                       " the salt: it was cut, or it is too short to tell whether the passphrase "
                       "is right; give " +
                       what_decides(all),
                   tried.text);
  const bool is_padded = std::ranges::any_of(all, [](const Tried& t) {
    return mode::is_padded(t.recipe.mode) && t.recipe.padding == TailPadding::pkcs7;
  });
  if (is_padded && !source.bytes_left()) {
    throw NoneFits(
        Errc::unknown_format,
        "the beginning does not tell whether passphrase and parameters are right, and a pipe's end cannot be "
        "seen in advance; give a file, or " +
            what_decides(all),
        tried.text);
  }
  const bool may_be_noise = std::ranges::none_of(all, [&](const Tried& t) {
    return mode::is_padded(t.recipe.mode) && can_have_size(t.recipe, source.bytes_left().value_or(0));
  });
  if (may_be_noise)
    throw NoneFits(Errc::undecided,
                   "it decrypts to noise: the passphrase is wrong, or this is compressed data or the like; "
                   "if the passphrase is right, give " +
                       what_decides(all),
                   tried.text);
  throw NoneFits(Errc::wrong_key,
                 "wrong passphrase, or parameters that were not tried (" + std::to_string(tried.count) +
                     (tried.count == 1 ? " was" : " were") + std::string(what_the_length_says(source)) + ")" +
                     (has_streams ? ", or compressed data in bf-cfb or bf-ofb" : "") +
                     "; if the passphrase is right, give " + what_decides(all),
                 tried.text);
}

}  // namespace

std::vector<Recipe> openssl_recipes(const OpensslGiven& given) {
  const double openssl_prior = may_be_crypt_cbc(given) ? kOpensslPrior : 1;
  std::vector<Recipe> all;
  for (const DerivationRow& row : derivations(given)) {
    Recipe recipe{.derivation = row.derivation,
                  .digest = row.digest,
                  .iterations = row.iterations,
                  .prior = row.openssl * openssl_prior};
    if (recipe.prior != 0) add_openssl_recipes(given, recipe, all);
    recipe.prior = row.crypt_cbc * (1 - openssl_prior);
    if (recipe.prior != 0) add_crypt_cbc_recipes(recipe, {.key_bytes = given.key_bytes}, all);
  }
  return all;
}

std::string describe_salted(const Recipe& recipe) {
  return recipe.is_crypt_cbc ? describe_crypt_cbc(recipe) : describe_openssl(recipe);
}

std::string salted_flags(const Recipe& recipe) {
  return recipe.is_crypt_cbc ? crypt_cbc_flags(recipe) : openssl_flags(recipe);
}

Verdict choose_salted(std::vector<Tried> all, const Lookahead& source, bool accepted) {
  if (!may_fit(all)) nothing_matches(all, source);
  return choose_recipe(std::move(all), accepted, {describe_salted, salted_flags});
}

void check_salted_size(const std::vector<Recipe>& recipes, const Lookahead& source) {
  const auto bytes = source.bytes_left();
  if (!bytes || std::ranges::any_of(recipes, [&](const Recipe& recipe) {
        return can_have_size(recipe, *bytes) && (*bytes != 0 || !is_unpadded(recipe));
      }))
    return;
  throw Error(Errc::damaged, "the length is not one that " + cipher_name(recipes.front().mode) +
                                 " gives: truncated, or written in another mode");
}

}  // namespace fugu::format
