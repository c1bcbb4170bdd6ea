// The failure to take off a padding.
#pragma once

#include "fugu/error.hpp"
#include "fugu/export.hpp"
#include "fugu/mode/settings.hpp"

namespace fugu::mode {

// An Error{wrong_key} that knows which padding the last block looks like: zero, space, none for text without
// any, and pkcs7 where it looks like nothing. The text does not say it: it would tell of the plaintext.
class FUGU_EXPORT WrongPadding : public Error {
 public:
  explicit WrongPadding(Padding looks_like)
      : Error(Errc::wrong_key, "the padding is not valid: wrong key or passphrase, or damaged data"),
        looks_like_(looks_like) {}

  Padding looks_like() const noexcept { return looks_like_; }

 private:
  Padding looks_like_;
};

}  // namespace fugu::mode
