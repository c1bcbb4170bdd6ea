// Tells the user what a decryption found out.
#pragma once

#include <string>

#include "cli/cipher/run.hpp"

namespace fugu::cli {

// Below this a wrong passphrase passes too often to go without a warning.
inline constexpr double kWeakEvidenceBits = format::kNeededEvidenceBits;

// Notes that -q hides: no authentication (once a run), the parameters that matched, how little a match says.
void tell_findings(const std::string& input, const Decrypted& result);

}  // namespace fugu::cli
