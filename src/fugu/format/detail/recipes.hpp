// How openssl enc and Perl's Crypt::CBC, whose files begin alike, make a key of a passphrase: the recipes to
// try, for openssl, cryptcbc and guess, and the options that name them. Private to format.
#pragma once

#include <array>

#include "fugu/format/judge/judge.hpp"

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
std::vector<Recipe> derivations_of(double DerivationRow::*share);

inline constexpr std::uint32_t kDefaultPbkdf2Iterations = 10'000;  // of both programs

// The names of the options' values, each list in the order of the values.
inline constexpr std::array kOpensslModes{mode::Mode::cbc, mode::Mode::ecb, mode::Mode::cfb64,
                                          mode::Mode::ofb};
inline constexpr std::array<std::string_view, 4> kOpensslCiphers{"bf-cbc", "bf-ecb", "bf-cfb", "bf-ofb"};
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

// The parameters that a user gives. Those left empty are found by trial among those of real files; iterations
// alone mean SHA-256, as with `openssl enc`. When mode, digest and derivation are given, only the rules of
// `openssl enc` are tried.
struct OpensslGiven {
  std::optional<mode::Mode> mode = {};  // one of kOpensslModes
  std::optional<std::string> digest = {};
  std::optional<std::uint32_t> pbkdf2_iterations = {};  // 0: EVP_BytesToKey
  std::uint32_t bytes_to_key_count = 1;                 // openssl enc has 1, Ruby's pkcs5_keyivgen 2048
  std::optional<std::size_t> key_bytes = {};  // 8: bf-cfb and bf-ofb of OpenSSL 3.0.0 to 3.0.3 (#18359)
  bool padded = true;                         // false: -nopad
  bool has_header = true;
  bool of_any_program = false;  // also of programs that call OpenSSL's functions
};

// All recipes that are left open, in the order of trial: those of openssl enc, and also those of Crypt::CBC
// unless something indicates openssl enc.
std::vector<Recipe> openssl_recipes(const OpensslGiven& given);

// The known parameters besides the derivation.
struct CryptCbcGiven {
  std::optional<std::size_t> key_bytes = {};
  std::optional<mode::Mode> mode = {};
  std::optional<TailPadding> padding = {};
  bool all_key_sizes = false;  // also try sizes that hardly anyone chose
};

// Appends the recipes of `derivation`, which share its prior, for all parameters not given.
void add_crypt_cbc_recipes(const Recipe& derivation, const CryptCbcGiven& given, std::vector<Recipe>& into);

bool is_unpadded(const Recipe& recipe);  // in a mode that programs pad

// "bf-cbc", "PBKDF2-HMAC-SHA256, 10000 iterations": of openssl enc.
std::string cipher_name(mode::Mode mode);
std::string derivation_name(const Recipe& recipe);

// "bf-cbc, PBKDF2-HMAC-SHA256, 10000 iterations", or "Crypt::CBC, pbkdf pbkdf2 (sha256, 10000 iterations),
// key of 56 bytes, cbc, padding standard"
std::string recipe_name(const Recipe& recipe);

// "⟦cipher bf-cbc⟧ ⟦md sha256⟧ ⟦iter 10000⟧": the options that leave nothing to try. Those of Crypt::CBC name
// the format.
std::string recipe_options(const Recipe& recipe);

// Whether nothing that may be data came off its end, or was left out behind it.
bool keeps_all(const Tried& found, bool padding_given);

// The result of open(), with notes on what became of the file's end.
Opened opened_by(const Verdict& verdict, const RecipesOfFormat& how);

}  // namespace fugu::format
