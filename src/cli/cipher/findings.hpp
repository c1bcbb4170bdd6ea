// Tells the user what a decryption found out.
#pragma once

#include <string>

#include "cli/cipher/run_secret.hpp"
#include "fugu/format/codec.hpp"

namespace fugu::cli {

// Notes that -q hides: no authentication (once a run), the parameters that matched, how little says that the
// secret was the right one, and what the format has to say.
void tell_findings(const std::string& input, const RunSecret& secret, const format::Opened& opened);

}  // namespace fugu::cli
