// Names of the parameters of `openssl enc`, and their combinations. Private to openssl_*.cpp.
#pragma once

#include <string>
#include <vector>

#include "fugu/auth/kdf.hpp"
#include "fugu/format/detail/recipe.hpp"
#include "fugu/format/openssl/openssl_enc.hpp"

namespace fugu::format {

// "bf-cbc". Throws Error{usage} for modes that `openssl enc` does not have.
std::string cipher_name(mode::Mode mode);

// "EVP_BytesToKey with MD5" or "PBKDF2-HMAC-SHA256, 10000 iterations".
std::string derivation_name(const OpensslParameters& parameters);

// Throws Error{usage} for an unusable mode, digest or key length.
void check(const OpensslParameters& parameters);

inline constexpr std::size_t kMaxOpensslKeyBytes = auth::kMaxBytesToKeyBytes - core::kBlockBytes;

// All recipes that a request leaves open, in the order of trial: those of openssl enc, and also those of
// Crypt::CBC unless something indicates openssl enc.
std::vector<Recipe> openssl_recipes(const OpensslDecryptRequest& request);

OpensslParameters parameters_of(const Recipe& recipe);  // of openssl enc

// For either program.
std::string describe_salted(const Recipe& recipe);
std::string salted_flags(const Recipe& recipe);

}  // namespace fugu::format
