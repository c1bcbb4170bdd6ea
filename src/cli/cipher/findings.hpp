// Reports the findings of a decryption to the user.
#pragma once

#include <string>

#include "cli/cipher/run_secret.hpp"
#include "fugu/format/codec.hpp"

namespace fugu::cli {

// Notes, hidden by -q: that what was opened is not authenticated (once per run), the parameters that matched,
// how weak the evidence for the secret is, and the format's own notes.
void tell_findings(const std::string& input, const RunSecret& secret, const format::Opened& opened);

}  // namespace fugu::cli
