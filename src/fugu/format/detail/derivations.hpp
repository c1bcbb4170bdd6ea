// How programs make a key of a passphrase, for all that try it: openssl, cryptcbc and guess. Private to
// format.
#pragma once

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

}  // namespace fugu::format
