#include "fugu/format/detail/recipes.hpp"

#include <algorithm>
#include <cctype>

#include "fugu/format/detail/codecs.hpp"

namespace fugu::format {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kUsualKeyBytes = 16;
constexpr std::size_t kShortKeyBytes = 8;

// So little that one byte of padding behind a usual end outweighs it by kSufficientEvidenceBits.
constexpr double kNopadPrior = 1.0 / (1 << 25);

// For files that begin with "Salted__". The shares here and below are estimates.
constexpr double kOpensslPrior = 0.8;

// The share of other programs, where any may have written the file.
constexpr double kOthersShare = 0.4;

// Crypt::Blowfish takes 8 bytes and more.
constexpr std::size_t kMinKeyBytes = 8;
constexpr double kRareSizesPrior = 0.02;
constexpr double kUnpaddedPrior = 6e-6;  // small, so that nobody's two bytes of padding are taken for data

// A value of one parameter, and its prior probability.
template <class T>
struct Guess {
  T value;
  double prior;
};
template <class T>
using Guesses = std::vector<Guess<T>>;

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

void add_recipes(Recipe recipe, const Guess<Mode>& mode, const Guess<std::size_t>& key_bytes,
                 const Guesses<TailPadding>& paddings, std::vector<Recipe>& into) {
  recipe.mode = mode.value;
  recipe.key_bytes = key_bytes.value;
  const double prior = recipe.prior * mode.prior * key_bytes.prior;
  for (const Guess<TailPadding>& padding : paddings) {
    recipe.padding = padding.value;
    recipe.prior = prior * padding.prior;
    into.push_back(recipe);
  }
}

void add_openssl_recipes(const OpensslGiven& given, const Recipe& derivation, std::vector<Recipe>& into) {
  const bool is_only = given.mode && derivations(given).size() == 1;  // then nothing else is tried
  Guesses<Mode> modes{{Mode::cbc, 0.6}, {Mode::ecb, 0.1}, {Mode::cfb64, 0.15}, {Mode::ofb, 0.15}};
  if (given.mode) modes = {{*given.mode, 1}};
  for (const Guess<Mode>& mode : modes) {
    const bool is_padded = mode::is_padded(mode.value);
    Guesses<std::size_t> sizes{{given.key_bytes.value_or(kUsualKeyBytes), 1}};
    if (!given.key_bytes && !is_only && !is_padded) sizes = {{kUsualKeyBytes, 0.75}, {kShortKeyBytes, 0.25}};
    // Without padding only where the options leave anything open: with a passphrase hardly anybody wants it.
    Guesses<TailPadding> paddings{{given.padded && is_padded ? TailPadding::pkcs7 : TailPadding::none, 1}};
    if (given.padded && is_padded && !is_only)
      paddings = {{TailPadding::pkcs7, 1 - kNopadPrior}, {TailPadding::none, kNopadPrior}};
    for (const Guess<std::size_t>& size : sizes) add_recipes(derivation, mode, size, paddings, into);
  }
}

Guesses<std::size_t> crypt_cbc_key_sizes(const CryptCbcGiven& given) {
  if (given.key_bytes) return {{*given.key_bytes, 1}};
  Guesses<std::size_t> sizes{{kCryptCbcKeyBytes, 0.8}, {16, 0.09}, {32, 0.03}, {24, 0.03}, {8, 0.03}};
  for (std::size_t bytes = kMinKeyBytes; given.all_key_sizes && bytes < kCryptCbcKeyBytes; ++bytes) {
    if (std::ranges::find(sizes, bytes, &Guess<std::size_t>::value) == sizes.end())
      sizes.push_back({bytes, kRareSizesPrior / (kCryptCbcKeyBytes - kMinKeyBytes)});
  }
  return sizes;
}

Guesses<TailPadding> crypt_cbc_paddings(const CryptCbcGiven& given, Mode mode) {
  if (!mode::is_padded(mode))
    return {{given.padding == TailPadding::always_zero ? TailPadding::zero : TailPadding::none, 1}};
  if (given.padding) return {{*given.padding, 1}};
  return {{TailPadding::pkcs7, 0.9},
          {TailPadding::always_space, 0.045},
          {TailPadding::always_zero, 0.0469},
          {TailPadding::one_and_zeros, 0.008},
          {TailPadding::one_and_zeros_or_none, kUnpaddedPrior},
          {TailPadding::none, kUnpaddedPrior / 10}};
}

// Of Crypt::CBC.
struct Names {
  std::string_view pbkdf, mode, padding;  // padding: empty where there is none
};

Names names_of(const Recipe& recipe) {
  const bool is_v1 = recipe.derivation == Derivation::bytes_to_key && recipe.digest == "md5";
  const bool is_zero = recipe.padding == TailPadding::zero;
  const std::string_view padding = is_zero ? "null"
                                   : mode::is_padded(recipe.mode)
                                       ? kCryptCbcPaddings[place_of(kCryptCbcPaddingValues, recipe.padding)]
                                       : "";
  return {kCryptCbcPbkdfs[static_cast<std::size_t>(recipe.derivation) + (is_v1 ? 0 : 1)],
          kCryptCbcModes[place_of(kCryptCbcModeValues, recipe.mode)], padding};
}

std::string crypt_cbc_name(const Recipe& recipe) {
  const auto [pbkdf, mode, padding] = names_of(recipe);
  std::string text = "Crypt::CBC, pbkdf " + std::string(pbkdf);
  if (recipe.derivation == Derivation::pbkdf2)
    text += " (" + recipe.digest + ", " + std::to_string(recipe.iterations) + " iterations)";
  text.append(", key of " + std::to_string(recipe.key_bytes) + " bytes, ").append(mode);
  return padding.empty() ? text : text.append(", padding ").append(padding);
}

std::string crypt_cbc_options(const Recipe& recipe) {
  const auto [pbkdf, mode, padding] = names_of(recipe);
  std::string text = "⟦format cryptcbc⟧ ⟦pbkdf " + std::string(pbkdf);
  if (recipe.derivation == Derivation::pbkdf2)
    text += "⟧ ⟦md " + recipe.digest + "⟧ ⟦iter " + std::to_string(recipe.iterations);
  text.append("⟧ ⟦key-bytes " + std::to_string(recipe.key_bytes) + "⟧ ⟦mode ").append(mode);
  if (!padding.empty()) text.append("⟧ ⟦pad ").append(padding);
  return text + "⟧";
}

std::vector<std::string> notes_of_end(const Tried& found, bool padding_given) {
  const Recipe& recipe = found.recipe;
  if (recipe.is_crypt_cbc && recipe.mode == Mode::cfb64 && recipe.padding == TailPadding::none)
    return {
        "Crypt::CBC's cfb fills the last block with up to 7 zeros, which are left in place: ⟦pad null⟧ takes "
        "them off"};
  if (is_filler(recipe.padding) && !found.is_damaged) return {unpadding_note(recipe.padding)};
  const bool has_no_end = !recipe.is_crypt_cbc && !mode::is_padded(recipe.mode);
  if (has_no_end || keeps_all(found, padding_given)) return {};
  return {"nothing shows the end of the data: a file that was cut, or continued, looks the same"};
}

}  // namespace

std::vector<Recipe> derivations_of(double DerivationRow::*share) {
  std::vector<Recipe> all;
  for (const DerivationRow& row : kDerivations) {
    if (row.*share != 0)
      all.push_back({.derivation = row.derivation,
                     .digest = row.digest,
                     .iterations = row.iterations,
                     .prior = row.*share});
  }
  return all;
}

std::vector<Recipe> openssl_recipes(const OpensslGiven& given) {
  // A user who names a cipher of openssl, or leaves out salt or padding, means openssl.
  const bool may_be_crypt_cbc = !given.mode && given.padded && given.has_header;
  const double openssl_prior = may_be_crypt_cbc ? kOpensslPrior : 1;
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

void add_crypt_cbc_recipes(const Recipe& derivation, const CryptCbcGiven& given, std::vector<Recipe>& into) {
  Recipe recipe = derivation;
  recipe.is_crypt_cbc = true;
  Guesses<Mode> modes{
      {Mode::cbc, 0.8}, {Mode::pcbc, 0.05}, {Mode::cfb64, 0.05}, {Mode::ofb, 0.05}, {Mode::ctr, 0.05}};
  if (given.mode) modes = {{*given.mode, 1}};
  for (const Guess<std::size_t>& bytes : crypt_cbc_key_sizes(given)) {
    for (const Guess<Mode>& mode : modes)
      add_recipes(recipe, mode, bytes, crypt_cbc_paddings(given, mode.value), into);
    if (derivation.derivation == Derivation::literal) break;  // the key has a fixed size
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
  std::string text = is_pbkdf2 ? "PBKDF2-HMAC-" : "EVP_BytesToKey with ";
  for (const char c : recipe.digest) text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (!is_pbkdf2 && recipe.iterations == 1) return text;
  return text + ", " + std::to_string(recipe.iterations) + " iterations";
}

std::string recipe_name(const Recipe& recipe) {
  if (recipe.is_crypt_cbc) return crypt_cbc_name(recipe);
  std::string text = cipher_name(recipe.mode) + ", " + derivation_name(recipe);
  if (recipe.key_bytes != kUsualKeyBytes) text += ", key of " + std::to_string(recipe.key_bytes) + " bytes";
  if (is_unpadded(recipe)) text += ", no padding";
  return text;
}

std::string recipe_options(const Recipe& recipe) {
  if (recipe.is_crypt_cbc) return crypt_cbc_options(recipe);
  const bool is_pbkdf2 = recipe.derivation == Derivation::pbkdf2;
  std::string text = "⟦cipher " + cipher_name(recipe.mode) + "⟧ ⟦md " + recipe.digest + "⟧";
  if (!is_pbkdf2) text += " ⟦no-pbkdf2⟧";
  if (is_pbkdf2 || recipe.iterations != 1) text += " ⟦iter " + std::to_string(recipe.iterations) + "⟧";
  if (recipe.key_bytes != kUsualKeyBytes) text += " ⟦key-bytes " + std::to_string(recipe.key_bytes) + "⟧";
  if (is_unpadded(recipe)) text += " ⟦nopad⟧";
  return text;
}

bool keeps_all(const Tried& found, bool padding_given) {
  const Recipe& recipe = found.recipe;
  if (is_filler(recipe.padding)) return false;
  // A guess at openssl's modes without padding keeps the input: nothing shows the end of the data.
  if (!recipe.is_crypt_cbc && !mode::is_padded(recipe.mode)) return padding_given;
  if (recipe.padding != TailPadding::one_and_zeros_or_none && recipe.padding != TailPadding::none)
    return true;
  if (recipe.mode == Mode::cfb64) {  // the bytes that fill the last block may be zeros of the data
    const Reading* const reading = found.seen.empty() ? nullptr : found.seen.front().reading.get();
    return reading != nullptr && !reading->last_block.empty() && reading->last_block.back() != std::byte{0};
  }
  // A file that was cut, or continued, looks the same.
  return padding_given || found.taken() != 0 || !mode::is_padded(recipe.mode);
}

Opened opened_by(const Verdict& verdict, const RecipesOfFormat& how) {
  Opened opened = likely(recipe_name(verdict.found.recipe), verdict.bits);
  opened.by_trial = how.recipes.size() > 1;
  opened.all_content = verdict.all_content && keeps_all(verdict.found, how.padding_given);
  opened.notes = verdict.notes;
  for (std::string& note : notes_of_end(verdict.found, how.padding_given))
    opened.notes.push_back(std::move(note));
  return opened;
}

}  // namespace fugu::format
