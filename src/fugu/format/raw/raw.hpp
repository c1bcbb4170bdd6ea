// Raw Blowfish without a header, as written by Java, PHP mcrypt, Perl and others.
//
//   [skipped] | [iv 8, only with IvPlace::prefix] | ciphertext | [left out]
//
// The data does not reveal key, mode, padding or word order: all must be given. Unauthenticated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/export.hpp"
#include "fugu/format/units.hpp"

namespace fugu::format {

enum class IvPlace : std::uint8_t { given, prefix, encrypted_zero };  // the last: E(00 x 8), as DCPcrypt 2

struct RawParameters {
  mode::Settings settings;  // iv: used with IvPlace::given
  IvPlace iv_place = IvPlace::given;
  std::string key_hash = {};                 // the key is this digest of the secret; empty: the secret itself
  std::size_t key_fill = 0;                  // shorter keys are filled with zeros to this size, up to 72
  std::uint64_t skip = 0;                    // decryption: bytes in front that are not read
  std::optional<std::uint64_t> length = {};  // decryption: at most these bytes are read after them
};

// The key that the secret stands for. Blowfish uses the first 72 bytes of a longer one, as OpenSSL does.
// Throws Error{usage} for an empty secret, an unknown digest and a filled size above 72.
auth::SecretBytes raw_key(const RawParameters& parameters, const auth::SecretBytes& secret);

// The IV of IvPlace::encrypted_zero under this key.
mode::Iv raw_encrypted_zero(const auth::SecretBytes& key, core::ByteOrder words);

// Of the option --iv: 16 hexadecimal digits, text:, base64: or zero. Throws Error{usage} for anything else.
mode::Iv parse_iv(std::string_view given);

// The value of the option --pad.
std::string_view raw_padding_name(mode::Padding padding);

// The first steps of the functions below: with IvPlace::prefix they draw an IV, or read it from the job's
// source, behind what is skipped. The plan's input size is not known yet. They throw as these do.
FUGU_EXPORT UnitPlan plan_encryption(const RawParameters& parameters, const auth::SecretBytes& secret);
FUGU_EXPORT UnitPlan plan_decryption(const Job& job, const RawParameters& parameters,
                                     const auth::SecretBytes& secret);

// With IvPlace::prefix encryption draws a random IV and writes it first; decryption reads it. Throw
// Error{usage} as raw_key() and for an IV before ecb, Error{damaged} when the data ends inside what is
// skipped or the IV, and as run_cipher().
FUGU_EXPORT void encrypt_raw(const Job& job, const RawParameters& parameters,
                             const auth::SecretBytes& secret);
FUGU_EXPORT void decrypt_raw(const Job& job, const RawParameters& parameters,
                             const auth::SecretBytes& secret);

// What a decryption begins with: its plan, and up to kRawHeadBytes of the ciphertext behind the IV.
struct RawBeginning {
  UnitPlan plan;
  std::vector<std::byte> ciphertext;
};
inline constexpr std::size_t kRawHeadBytes = 64;

// The same, for a caller who also wants to know, whether or not it throws later.
void decrypt_raw(const Job& job, const RawParameters& parameters, const auth::SecretBytes& secret,
                 RawBeginning& beginning);

}  // namespace fugu::format
