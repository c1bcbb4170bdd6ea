// The failures at the end of padded ciphertext.
#pragma once

#include "fugu/error.hpp"
#include "fugu/mode/settings.hpp"

namespace fugu::mode {

// An Error{wrong_key} that knows which padding the last block looks like: zero, space, none for text without
// any, and pkcs7 where it looks like nothing. The text does not say which: that would reveal something about
// the plaintext.
class FUGU_EXPORT WrongPadding : public Error {
 public:
  explicit WrongPadding(Padding looks_like)
      : Error(Errc::wrong_key, "the padding is not valid: wrong key or passphrase, or damaged data"),
        looks_like_(looks_like) {}

  Padding looks_like() const noexcept { return looks_like_; }

 private:
  Padding looks_like_;
};

// An Error{damaged}: the ciphertext is not whole blocks, as its mode needs.
class FUGU_EXPORT WrongLength : public Error {
 public:
  WrongLength()
      : Error(Errc::damaged,
              "the length is not a multiple of 8 bytes: the data is truncated or in another mode") {}
};

}  // namespace fugu::mode
