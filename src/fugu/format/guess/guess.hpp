// Finds out how data without a header was encrypted: tries recipes of raw, or with a passphrase those of
// openssl enc and Crypt::CBC, on the beginning of the data. No more is decrypted than the decision needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::format {

// No more of the input is looked at, decoded where it is text.
inline constexpr std::size_t kGuessBytes = std::size_t{64} << 10;

// What the caller knows and need not be guessed.
struct GuessGiven {
  std::string iv;               // a value of raw's option, or of Crypt::CBC's; empty: unknown
  std::vector<std::byte> salt;  // 8 bytes, or none
  std::uint64_t skip = 0;       // as raw's options
  std::optional<std::uint64_t> length = {};
};

// Recipes that give the same plaintext.
struct Fit {
  std::string options;      // of decrypt, but for the secret: "⟦hex⟧ ⟦format raw⟧ ⟦mode ecb⟧"
  std::string remark = {};  // what to know about the plaintext; empty: nothing
  double bits = 0;          // with a wrong secret, or of noise, a guess this good comes up once in 2^bits
  std::optional<std::size_t> plaintext_bytes = {};  // if all of the input was seen
  std::size_t padding_bytes = 0;
  std::vector<std::string> same = {};  // the options of the others, most likely first
};

struct Fits {
  std::vector<Fit> best;  // best first; only those that are more likely than noise
  std::size_t close = 0;  // of these so many are nearly as likely as the first, itself included
  std::size_t tried = 0;  // recipes
  std::vector<std::string> not_tried;
};

// Reads at most what kGuessBytes take. Throws Error{usage} for an IV or salt that is not valid, and what
// reading throws.
Fits guess(stream::Source& source, SecretKind kind, const auth::SecretBytes& secret, const GuessGiven& given);

}  // namespace fugu::format
