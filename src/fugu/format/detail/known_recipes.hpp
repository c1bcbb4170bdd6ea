// How programs make a key of a passphrase, and the recipes of Perl's Crypt::CBC, whose files and those of
// openssl enc begin alike: for all that try them, openssl, cryptcbc and guess. Private to format.
#pragma once

#include <string_view>

#include "fugu/format/judge/story.hpp"

namespace fugu::format {

// The shares are estimates: how many of the files of each kind are made so. Those of a kind sum to 1.
struct DerivationRow {
  Derivation derivation;
  const char* digest;
  std::uint32_t iterations;
  double openssl;    // of openssl enc
  double crypt_cbc;  // of Crypt::CBC with a salt, whose EVP_BytesToKey has MD5 and SHA-256 only
  double random_iv;  // of Crypt::CBC with an IV in front
  double others;     // of programs that call OpenSSL's functions: Ruby's pkcs5_keyivgen has 2048 iterations
};

// In the order of trial, by share and cost: the defaults of OpenSSL since 1.1.0, of OpenSSL before, and of
// -pbkdf2; explicit choices; those that take long.
inline constexpr DerivationRow kDerivations[] = {{Derivation::bytes_to_key, "sha256", 1, 0.28, 0.13, 0, 0},
                                                 {Derivation::bytes_to_key, "md5", 1, 0.28, 0.45, 0, 0},
                                                 {Derivation::md5_chain, "", 1, 0, 0, 0.9, 0},
                                                 {Derivation::md5_chain_of_cut, "", 1, 0, 0, 0.1, 0},
                                                 {Derivation::bytes_to_key, "sha1", 1, 0.04, 0, 0, 0},
                                                 {Derivation::bytes_to_key, "sha512", 1, 0.04, 0, 0, 0},
                                                 {Derivation::bytes_to_key, "md5", 2048, 0, 0, 0, 0.38},
                                                 {Derivation::bytes_to_key, "sha256", 2048, 0, 0, 0, 0.08},
                                                 {Derivation::bytes_to_key, "sha1", 2048, 0, 0, 0, 0.05},
                                                 {Derivation::bytes_to_key, "md5", 100, 0, 0, 0, 0.05},
                                                 {Derivation::bytes_to_key, "md5", 1000, 0, 0, 0, 0.05},
                                                 {Derivation::bytes_to_key, "md5", 2000, 0, 0, 0, 0.1},
                                                 {Derivation::bytes_to_key, "md5", 5000, 0, 0, 0, 0.05},
                                                 {Derivation::bytes_to_key, "md5", 10'000, 0, 0, 0, 0.05},
                                                 {Derivation::bytes_to_key, "sha256", 1000, 0, 0, 0, 0.05},
                                                 {Derivation::bytes_to_key, "sha256", 5000, 0, 0, 0, 0.05},
                                                 {Derivation::bytes_to_key, "sha256", 10'000, 0, 0, 0, 0.05},
                                                 {Derivation::pbkdf2, "sha256", 1000, 0.03, 0.03, 0, 0},
                                                 {Derivation::pbkdf2, "sha1", 1000, 0, 0, 0, 0.04},
                                                 {Derivation::pbkdf2, "sha256", 10'000, 0.28, 0.3, 0, 0},
                                                 {Derivation::pbkdf2, "sha1", 10'000, 0, 0.04, 0, 0},
                                                 {Derivation::pbkdf2, "sha256", 100'000, 0.03, 0.03, 0, 0},
                                                 {Derivation::pbkdf2, "sha256", 600'000, 0.02, 0.02, 0, 0}};

// Recipes of which nothing else is known.
inline std::vector<Recipe> derivations_of(double DerivationRow::*share) {
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

// The names of its options' values, each list in the order of the values.
inline constexpr std::array<std::string_view, 6> kCryptCbcPbkdfs{"opensslv1", "opensslv2",    "pbkdf2",
                                                                 "randomiv",  "randomiv-cut", "none"};
inline constexpr std::array<std::string_view, 5> kCryptCbcModes{"cbc", "pcbc", "cfb", "ofb", "ctr"};
inline constexpr std::array kCryptCbcModeValues{mode::Mode::cbc, mode::Mode::pcbc, mode::Mode::cfb64,
                                                mode::Mode::ofb, mode::Mode::ctr};
inline constexpr std::array<std::string_view, 6> kCryptCbcPaddings{"standard",     "space",           "null",
                                                                   "oneandzeroes", "rijndael_compat", "none"};
inline constexpr std::array kCryptCbcPaddingValues{
    TailPadding::pkcs7,         TailPadding::always_space,          TailPadding::always_zero,
    TailPadding::one_and_zeros, TailPadding::one_and_zeros_or_none, TailPadding::none};

inline constexpr std::size_t kCryptCbcKeyBytes = 56;
inline constexpr std::uint32_t kCryptCbcIterations = 10'000;

// The known parameters besides the derivation.
struct CryptCbcGiven {
  std::optional<std::size_t> key_bytes = {};
  std::optional<mode::Mode> mode = {};
  std::optional<TailPadding> padding = {};
  bool all_key_sizes = false;  // also try sizes that hardly anyone chose
};

// Appends the recipes of `derivation`, which share its prior, for all parameters not given.
void add_crypt_cbc_recipes(const Recipe& derivation, const CryptCbcGiven& given, std::vector<Recipe>& into);

// "Crypt::CBC, pbkdf pbkdf2 (sha256, 10000 iterations), key of 56 bytes, cbc, padding standard"
std::string describe_crypt_cbc(const Recipe& recipe);

// The options that leave nothing to try.
std::string crypt_cbc_flags(const Recipe& recipe);

// Notes for people: what was removed with the padding, or left where it may not belong.
std::vector<std::string> crypt_cbc_notes(const Tried& found, bool padding_given);

// Whether the removed padding cannot have been data.
bool crypt_cbc_keeps_all(const Tried& found, bool padding_given);

}  // namespace fugu::format
