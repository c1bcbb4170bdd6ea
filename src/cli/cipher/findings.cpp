#include "cli/cipher/findings.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/process/console.hpp"

namespace fugu::cli {
namespace {

std::string weakness(const RunSecret& secret, double bits) {
  const std::string doubt = secret.doubt();
  const std::string check = "check the result" + (doubt.empty() ? "" : "; " + doubt);
  if (bits < 1)
    return fmt::format("nothing tells a right {} from a wrong one here; {}", secret.kind_name(), check);
  return fmt::format("one wrong {} in {:.0f} would look right too; {}", secret.kind_name(), std::exp2(bits),
                     check);
}

}  // namespace

void tell_findings(const std::string& input, const RunSecret& secret, const format::Opened& opened) {
  const auto note = [&](std::string_view text) { say_note(fmt::format("{}: {}", input_title(input), text)); };
  if (!opened.authenticated)
    say_note_once(
        opened.checked
            ? "a checksum found no damage, but nothing is authenticated: deliberate changes can go unseen"
            : "this format has no authentication: damage can go unseen");
  if (opened.by_trial) note(fmt::format("matches {}", opened.parameters));
  if (!format::is_sufficient(opened.evidence)) note(weakness(secret, opened.evidence.bits));
  for (const std::string& text : opened.notes) note(text);
}

}  // namespace fugu::cli
