// The recipes of Perl's Crypt::CBC, with the names of its options.
#include "fugu/format/detail/known_recipes.hpp"

#include "fugu/format/detail/codecs.hpp"

namespace fugu::format {
namespace {

// Crypt::Blowfish takes 8 bytes and more.
constexpr std::size_t kMinKeyBytes = 8;
constexpr double kRareSizesPrior = 0.02;
constexpr double kUnpaddedPrior = 6e-6;  // small, so that nobody's two bytes of padding are taken for data

std::vector<Guess<std::size_t>> key_sizes(const CryptCbcGiven& given) {
  if (given.key_bytes) return {{*given.key_bytes, 1}};
  std::vector<Guess<std::size_t>> sizes{
      {kCryptCbcKeyBytes, 0.8}, {16, 0.09}, {32, 0.03}, {24, 0.03}, {8, 0.03}};
  if (!given.all_key_sizes) return sizes;
  for (std::size_t bytes = kMinKeyBytes; bytes < kCryptCbcKeyBytes; ++bytes) {
    if (std::ranges::find(sizes, bytes, &Guess<std::size_t>::value) == sizes.end())
      sizes.push_back({bytes, kRareSizesPrior / (kCryptCbcKeyBytes - kMinKeyBytes)});
  }
  return sizes;
}

std::vector<Guess<Mode>> modes(const CryptCbcGiven& given) {
  if (given.mode) return {{*given.mode, 1}};
  return {{Mode::cbc, 0.8}, {Mode::pcbc, 0.05}, {Mode::cfb64, 0.05}, {Mode::ofb, 0.05}, {Mode::ctr, 0.05}};
}

std::vector<Guess<TailPadding>> paddings(const CryptCbcGiven& given, Mode mode) {
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

std::string_view padding_name(TailPadding padding) {
  if (padding == TailPadding::zero) return "null";
  return kCryptCbcPaddings[place_of(kCryptCbcPaddingValues, padding)];
}

std::string_view mode_name(Mode mode) {
  return kCryptCbcModes[place_of(kCryptCbcModeValues, mode)];
}

std::string_view pbkdf_name(const Recipe& recipe) {
  constexpr std::array kValues{Derivation::bytes_to_key, Derivation::bytes_to_key,     Derivation::pbkdf2,
                               Derivation::md5_chain,    Derivation::md5_chain_of_cut, Derivation::literal};
  const bool is_v2 = recipe.derivation == Derivation::bytes_to_key && recipe.digest != "md5";
  return kCryptCbcPbkdfs[place_of(kValues, recipe.derivation) + (is_v2 ? 1 : 0)];
}

bool has_padding(const Recipe& recipe) {
  return mode::is_padded(recipe.mode) || recipe.padding == TailPadding::zero;
}

}  // namespace

void add_crypt_cbc_recipes(const Recipe& derivation, const CryptCbcGiven& given, std::vector<Recipe>& into) {
  Recipe recipe = derivation;
  recipe.is_crypt_cbc = true;
  for (const auto& bytes : key_sizes(given)) {
    for (const auto& mode : modes(given)) {
      for (const auto& padding : paddings(given, mode.value)) {
        recipe.key_bytes = bytes.value;
        recipe.mode = mode.value;
        recipe.padding = padding.value;
        recipe.prior = derivation.prior * bytes.prior * mode.prior * padding.prior;
        into.push_back(recipe);
      }
    }
    if (derivation.derivation == Derivation::literal) break;  // the key has a fixed size
  }
}

std::string describe_crypt_cbc(const Recipe& recipe) {
  std::string text = "Crypt::CBC, pbkdf ";
  text += pbkdf_name(recipe);
  if (recipe.derivation == Derivation::pbkdf2)
    text += " (" + recipe.digest + ", " + std::to_string(recipe.iterations) + " iterations)";
  text += ", key of " + std::to_string(recipe.key_bytes) + " bytes, ";
  text += mode_name(recipe.mode);
  if (has_padding(recipe)) text.append(", padding ").append(padding_name(recipe.padding));
  return text;
}

std::string crypt_cbc_flags(const Recipe& recipe) {
  std::string text = "⟦format cryptcbc⟧ ⟦pbkdf ";
  text += pbkdf_name(recipe);
  if (recipe.derivation == Derivation::pbkdf2)
    text += "⟧ ⟦md " + recipe.digest + "⟧ ⟦iter " + std::to_string(recipe.iterations);
  text += "⟧ ⟦key-bytes " + std::to_string(recipe.key_bytes) + "⟧ ⟦mode ";
  text += mode_name(recipe.mode);
  if (has_padding(recipe)) text.append("⟧ ⟦pad ").append(padding_name(recipe.padding));
  return text + "⟧";
}

std::vector<std::string> crypt_cbc_notes(const Tried& found, bool padding_given) {
  const Recipe& recipe = found.recipe;
  if (recipe.is_crypt_cbc && recipe.mode == Mode::cfb64 && recipe.padding == TailPadding::none)
    return {
        "Crypt::CBC's cfb fills the last block with up to 7 zeros, which are left in place: ⟦pad null⟧ takes "
        "them off"};
  if (is_filler(recipe.padding) && !found.is_damaged) return {unpadding_note(recipe.padding)};
  if (crypt_cbc_keeps_all(found, padding_given)) return {};
  return {"nothing shows the end of the data: a file that was cut, or continued, looks the same"};
}

bool crypt_cbc_keeps_all(const Tried& found, bool padding_given) {
  const TailPadding padding = found.recipe.padding;
  if (is_filler(padding)) return false;
  if (padding != TailPadding::one_and_zeros_or_none && padding != TailPadding::none) return true;
  if (found.recipe.mode == Mode::cfb64) {  // the bytes that fill the last block may be zeros of the data
    const Reading* const reading = found.seen.empty() ? nullptr : found.seen.front().reading.get();
    return reading != nullptr && !reading->last_block.empty() && reading->last_block.back() != std::byte{0};
  }
  // A file that was cut, or continued, looks the same.
  return padding_given || found.taken() != 0 || !mode::is_padded(found.recipe.mode);
}

}  // namespace fugu::format
