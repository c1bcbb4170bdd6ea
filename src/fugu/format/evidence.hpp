// The evidence that the secret is right, and the one policy of how much suffices.
#pragma once

#include <string_view>

#include "fugu/export.hpp"

namespace fugu::format {

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

// The policy: sufficient evidence passes; less passes only when `all_given` (the user gave every parameter
// that the format does not store) or `accepted` (the user said so). Throws Error{unknown_format} otherwise,
// stating how weak the evidence for `parameters` is and which `flags` decide.
FUGU_EXPORT void require_evidence(const Evidence& evidence, bool all_given, bool accepted,
                                  std::string_view parameters, std::string_view flags);

}  // namespace fugu::format
