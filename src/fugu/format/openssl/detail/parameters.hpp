// Names of the parameters of `openssl enc`, and what combinations of them there are. Private to
// openssl_*.cpp.
#pragma once

#include <string>
#include <vector>

#include "fugu/auth/kdf.hpp"
#include "fugu/format/openssl/openssl_enc.hpp"

namespace fugu::format {

// "bf-cbc". Throws Error{usage} for modes that `openssl enc` does not have.
std::string cipher_name(mode::Mode mode);

// "EVP_BytesToKey with MD5" or "PBKDF2-HMAC-SHA256, 10000 iterations".
std::string derivation_name(const OpensslParameters& parameters);

// Throws Error{usage} when mode, digest or key length cannot be used.
void check(const OpensslParameters& parameters);

inline constexpr std::size_t kMaxOpensslKeyBytes = auth::kMaxBytesToKeyBytes - core::kBlockBytes;

// What the key and then the IV are cut from. A shorter stream is a prefix of a longer one, so that all key
// lengths of one derivation come from one stream.
auth::SecretBytes derive_stream(const OpensslParameters& parameters, const auth::SecretBytes& passphrase,
                                std::span<const std::byte> salt, std::size_t bytes);
OpensslKey cut_key(const auth::SecretBytes& stream, std::size_t key_bytes);

struct Candidate {
  OpensslParameters parameters;
  double prior = 1;  // how likely before anything was looked at; all candidates together: 1
};

// The candidates that a request leaves open, in the order of trial; grouped by derivation.
std::vector<Candidate> candidates(const OpensslDecryptRequest& request);

}  // namespace fugu::format
