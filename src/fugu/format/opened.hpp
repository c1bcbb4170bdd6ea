// What a caller says of a secret and of an input, and the result of opening it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/export.hpp"

namespace fugu::format {

enum class SecretKind : std::uint8_t { passphrase, key };

// signed_hex is never recognised, only given. stored_as_utf8, never given, are bytes that a program took for
// characters of Latin-1 or Windows-1252.
enum class TextEncoding : std::uint8_t { binary, base64, hex, signed_hex, stored_as_utf8 };

// "binary", "base64", "hex", "signed-hex" or "stored-as-utf8".
FUGU_EXPORT std::string_view name_of(TextEncoding encoding);

// Bytes first to first + count - 1 of the input's plaintext.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// A wrong secret passes with probability at most 2^-bits; `certain`: a MAC, a digest or a key check matched.
struct Evidence {
  bool certain = false;
  double bits = 0;  // 0: nothing distinguishes a wrong secret from the right one
};

// With this much, output is written, and the only copy of the ciphertext may be removed.
inline constexpr double kSufficientEvidenceBits = 32;

constexpr bool is_sufficient(const Evidence& evidence) {
  return evidence.certain || evidence.bits >= kSufficientEvidenceBits;
}

// What salvage could not recover.
struct SalvageReport {
  std::vector<ByteRange> lost;        // in order, merged; zeros replace them
  bool end_lost = false;              // the end of the data is unknown
  std::uint64_t bytes_after_end = 0;  // bytes of the input, left out
  std::vector<std::string> damage;    // more of it, for people

  bool whole() const { return lost.empty() && !end_lost && bytes_after_end == 0 && damage.empty(); }
};

// What open() found.
struct Opened {
  std::string parameters;      // for people: "bf-cbc, PBKDF2-HMAC-SHA256, 10000 iterations"
  Evidence evidence;           // that the secret was the right one
  bool authenticated = false;  // every byte released was covered by a MAC, or OpenPGP's MDC, that matched
  bool checked = false;        // or by a checksum that matched: accidental damage shows, no deliberate change
  bool by_trial = false;       // the parameters were found by trial, not given or stored
  bool all_content = true;     // nothing was left out (a range, a signature, padding that may be data)
  std::vector<std::string> notes;  // for people, one line each, without the file's name; for spelled()
  SalvageReport salvage;
};

}  // namespace fugu::format
