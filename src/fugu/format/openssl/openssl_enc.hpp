// The format of `openssl enc` with Blowfish.
//
//   "Salted__" | salt 8 | ciphertext          with a salt header
//   ciphertext                                -nosalt, or -S with OpenSSL 3
//
// Nothing else is stored: the caller gives mode, digest, iterations and key length, or they are found by
// trial. Unauthenticated: damage can go unseen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/export.hpp"
#include "fugu/format/codec.hpp"

namespace fugu::format {

inline constexpr std::array<char, 8> kSaltedMagic{'S', 'a', 'l', 't', 'e', 'd', '_', '_'};
inline constexpr std::uint32_t kDefaultPbkdf2Iterations = 10'000;
using Salt = std::array<std::byte, 8>;
inline constexpr std::size_t kSaltedHeaderBytes = kSaltedMagic.size() + sizeof(Salt);

// How a passphrase becomes a key and IV, and the mode that uses them.
struct FUGU_EXPORT OpensslParameters {
  mode::Mode mode = mode::Mode::cbc;  // ecb, cbc, cfb64 or ofb
  std::string digest = "sha256";
  std::uint32_t pbkdf2_iterations = 0;  // 0: EVP_BytesToKey
  std::size_t key_bytes = 16;  // 8 opens bf-cfb and bf-ofb files of OpenSSL 3.0.0 to 3.0.3 (openssl #18359)
  bool padded = true;          // false: -nopad; only ecb and cbc are padded
  std::uint32_t bytes_to_key_count = 1;  // EVP_BytesToKey's; openssl enc has 1, Ruby's pkcs5_keyivgen 2048

  std::string describe() const;  // "bf-cbc, PBKDF2-HMAC-SHA256, 10000 iterations"
  // "--cipher bf-cbc --md sha256 --iter 10000": options that leave nothing to try
  std::string flags() const;
};

enum class SaltPlace : std::uint8_t { header, given, none };

struct OpensslEncryptRequest {
  OpensslParameters parameters;
  SaltPlace salt_place = SaltPlace::header;
  std::optional<Salt> salt;  // header: written instead of a random one; given: used, not written
};

// The passphrase's key, of key_bytes bytes, and the IV.
struct OpensslKey {
  auth::SecretBytes key;
  mode::Iv iv;
};

// `salt` is empty or 8 bytes. Throws Error{usage} for an unknown digest or a key length outside 1 to 56.
FUGU_EXPORT OpensslKey derive_openssl_key(const OpensslParameters& parameters,
                                          const auth::SecretBytes& passphrase,
                                          std::span<const std::byte> salt);

struct OpensslDecryption {
  std::string description;       // the match: openssl enc, or Crypt::CBC, which has the same header
  OpensslParameters parameters;  // the same, as far as openssl enc has options for it
  bool by_trial = false;         // false: the request left one possibility, and no evidence was required
  double evidence_bits = 0;      // a wrong passphrase passes with probability at most 2^-evidence_bits
  bool all_content = true;       // as in Opened
  std::vector<std::string> notes;
};

// Parameters left empty are found by trial among those of real files; iterations alone mean SHA-256, as with
// `openssl enc`. When mode, digest and derivation are given, only the rules of `openssl enc` are tried.
struct OpensslDecryptRequest {
  std::optional<mode::Mode> mode;
  std::optional<std::string> digest;
  std::optional<std::uint32_t> pbkdf2_iterations;  // 0: EVP_BytesToKey
  std::optional<std::size_t> key_bytes;
  bool padded = true;
  SaltPlace salt_place = SaltPlace::header;
  std::optional<Salt> salt;  // given
  bool accept_weak_evidence = false;
  std::uint32_t bytes_to_key_count = 1;  // where pbkdf2_iterations is 0
};

// The first steps of the functions below: draw a salt, or find the parameters for the job's source, whose end
// is read. The plan's input size is not known yet. They throw as these do; plan_decryption() also throws
// Error{usage} for a padding of Crypt::CBC that openssl enc does not have.
FUGU_EXPORT UnitPlan plan_encryption(const OpensslEncryptRequest& request,
                                     const auth::SecretBytes& passphrase);
FUGU_EXPORT UnitPlan plan_decryption(const Job& job, const OpensslDecryptRequest& request,
                                     const AskSecret& passphrase, OpensslDecryption& decryption);

// Throws Error{usage} for parameters that cannot be used and for a salt that contradicts its place.
FUGU_EXPORT void encrypt_openssl(const Job& job, const OpensslEncryptRequest& request,
                                 const auth::SecretBytes& passphrase);

// Writes nothing before the parameters are certain. Throws Error{wrong_key} listing what was tried when
// nothing matches; Error{unknown_format} when an expected header is missing, or when the evidence is not
// sufficient (evidence.hpp) and a flag has to decide; Error{damaged} when the file ends inside its salt or
// has a length that the given parameters rule out.
FUGU_EXPORT OpensslDecryption decrypt_openssl(const Job& job, const OpensslDecryptRequest& request,
                                              const AskSecret& passphrase);
FUGU_EXPORT OpensslDecryption decrypt_openssl(const Job& job, const OpensslDecryptRequest& request,
                                              const auth::SecretBytes& passphrase);

// Many messages under one passphrase, as Codec::open_messages.
std::unique_ptr<MessageCipher> openssl_messages(const OpensslDecryptRequest& request,
                                                const AskSecret& passphrase,
                                                std::span<const core::WipedBytes> some);

}  // namespace fugu::format
