// The header of an mcrypt(1) file, and its key derivation. Private to mcrypt.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/option.hpp"
#include "fugu/mode/mode.hpp"

namespace fugu::format {

inline constexpr std::array<std::string_view, 7> kMcryptModes{"cbc",  "ecb",  "cfb", "ofb",
                                                              "ncfb", "nofb", "ctr"};
inline constexpr std::array<std::string_view, 14> kMcryptKeymodes{"mcrypt-sha1",
                                                                  "mcrypt-md5",
                                                                  "asis",
                                                                  "hex",
                                                                  "pkdes",
                                                                  "s2k-simple-md5",
                                                                  "s2k-simple-sha1",
                                                                  "s2k-simple-ripemd",
                                                                  "s2k-salted-md5",
                                                                  "s2k-salted-sha1",
                                                                  "s2k-salted-ripemd",
                                                                  "s2k-isalted-md5",
                                                                  "s2k-isalted-sha1",
                                                                  "s2k-isalted-ripemd"};

struct McryptHeader {
  bool bare = false;
  core::ByteOrder words = core::ByteOrder::big;
  std::size_t key_bytes = 56;
  std::string mode = "cbc";
  std::string keymode = "mcrypt-sha1";
  std::vector<std::byte> salt;
  std::string digest;  // empty if bare
  mode::Iv iv;

  mode::Settings settings() const;
  std::string describe() const;  // "mcrypt, blowfish, cbc, key of 56 bytes by mcrypt-sha1, digest sha1"
};

// Whether `head` begins like a header.
bool is_mcrypt_header(std::span<const std::byte> head);

// Takes the header, or with --bare builds it from the options. Throws Error{unknown_format} naming
// unsupported ciphers, modes and keymodes, Error{damaged} when the file ends inside it.
McryptHeader read_mcrypt_header(Lookahead& source, const OptionValues& options);

auth::SecretBytes derive_mcrypt_key(const McryptHeader& header, const auth::SecretBytes& passphrase);

}  // namespace fugu::format
