#include "cli/cipher/findings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <mutex>

#include "cli/process/console.hpp"

namespace fugu::cli {
namespace {

void note_missing_authentication() {
  static std::once_flag once;
  std::call_once(once, [] { say_note("this format has no authentication: damage can go unseen"); });
}

std::string weakness(const std::string& input, double bits) {
  if (bits < 1) {
    return fmt::format("{}: nothing tells a right passphrase from a wrong one here; check the result",
                       input_title(input));
  }
  return fmt::format("{}: a wrong passphrase would look right once in {:.0f} times; check the result",
                     input_title(input), std::exp2(bits));
}

}  // namespace

void tell_findings(const std::string& input, const Decrypted& result) {
  if (!result.authenticated) note_missing_authentication();
  if (result.by_trial) say_note(fmt::format("{}: matches {}", input_title(input), result.parameters));
  if (result.openssl && result.evidence_bits < kWeakEvidenceBits)
    say_note(weakness(input, result.evidence_bits));
}

}  // namespace fugu::cli
