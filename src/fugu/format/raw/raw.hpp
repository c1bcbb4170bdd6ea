// Raw Blowfish without a header, as written by Java, PHP mcrypt, Perl and others.
//
//   [iv 8, only with IvPlace::prefix] | ciphertext
//
// The data does not reveal key, mode, padding or word order: all must be given. Unauthenticated.
#pragma once

#include <cstdint>

#include "fugu/auth/secret.hpp"
#include "fugu/export.hpp"
#include "fugu/format/units.hpp"

namespace fugu::format {

enum class IvPlace : std::uint8_t { given, prefix };

struct RawParameters {
  mode::Settings settings;  // iv: used with IvPlace::given
  IvPlace iv_place = IvPlace::given;
};

// The first steps of the functions below: with IvPlace::prefix they draw an IV, or read it from the job's
// source. The plan's input size is not known yet. They throw as these do.
FUGU_EXPORT UnitPlan plan_encryption(const RawParameters& parameters, const auth::SecretBytes& key);
FUGU_EXPORT UnitPlan plan_decryption(const Job& job, const RawParameters& parameters,
                                     const auth::SecretBytes& key);

// With IvPlace::prefix encryption draws a random IV and writes it first; decryption reads it. Throw
// Error{usage} for keys of other than 1 to 56 bytes and for an IV before ecb, Error{damaged} when the data
// ends inside the IV, and as run_cipher().
FUGU_EXPORT void encrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& key);
FUGU_EXPORT void decrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& key);

}  // namespace fugu::format
