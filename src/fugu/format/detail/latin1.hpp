// Passphrases as programs that work in Latin-1 have them. Private to format.
#pragma once

#include <cstddef>
#include <span>

#include "fugu/auth/secret.hpp"

namespace fugu::format {

struct Latin1 {
  auth::SecretBytes bytes;
  bool whole = false;  // every character of the text has its byte
};

// The characters below 256 of a text in UTF-8 as one byte each, up to the first that is none.
Latin1 to_latin1(std::span<const std::byte> utf8);

}  // namespace fugu::format
