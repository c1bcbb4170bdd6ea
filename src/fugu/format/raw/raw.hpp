// The parameters of raw Blowfish, for callers that try them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fugu/auth/secret.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/mode/settings.hpp"

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
// Throws Error{usage} for an empty secret and an unknown digest.
auth::SecretBytes raw_key(const RawParameters& parameters, const auth::SecretBytes& secret);

// The IV of IvPlace::encrypted_zero under this key.
mode::Iv raw_encrypted_zero(const auth::SecretBytes& key, core::ByteOrder words);

// The value of the option --pad.
std::string_view raw_padding_name(mode::Padding padding);

}  // namespace fugu::format
