// Raw Blowfish without a header, as written by Java, PHP mcrypt, Perl and others.
//
//   [iv 8, only with IvPlace::prefix] | ciphertext
//
// The data does not reveal key, mode, padding or word order: all must be given. Unauthenticated.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/export.hpp"
#include "fugu/format/job.hpp"

namespace fugu::format {

enum class IvPlace : std::uint8_t { given, prefix };

struct RawParameters {
  mode::Settings settings;  // iv: used with IvPlace::given
  IvPlace iv_place = IvPlace::given;
};

// The bytes before the ciphertext, and the settings with the IV.
struct PreparedRaw {
  std::vector<std::byte> header;
  mode::Settings settings;
};

// The first steps of the functions below: with IvPlace::prefix they draw an IV, or read it from the job's
// source. They throw as these do.
FUGU_EXPORT PreparedRaw prepare_encryption(const RawParameters& parameters, const auth::SecretBytes& key);
FUGU_EXPORT PreparedRaw prepare_decryption(const Job& job, const RawParameters& parameters,
                                           const auth::SecretBytes& key);

// With IvPlace::prefix encryption draws a random IV and writes it first; decryption reads it. Throw
// Error{usage} for keys of other than 1 to 56 bytes and for an IV before ecb, Error{damaged} when the data
// ends inside the IV, and as run_cipher().
FUGU_EXPORT void encrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& key);
FUGU_EXPORT void decrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& key);

}  // namespace fugu::format
