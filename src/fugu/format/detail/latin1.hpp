// Passphrases in Latin-1, for programs that use it. Private to format.
#pragma once

#include <cstddef>
#include <span>

#include "fugu/auth/secret.hpp"

namespace fugu::format {

struct Latin1 {
  auth::SecretBytes bytes;
  bool whole = false;  // every character of the text has a byte
};

// Converts UTF-8 text to one byte per character, up to the first character above 255.
Latin1 to_latin1(std::span<const std::byte> utf8);

}  // namespace fugu::format
