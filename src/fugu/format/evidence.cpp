#include "fugu/format/evidence.hpp"

#include <string>

#include "fugu/error.hpp"

namespace fugu::format {

void require_evidence(const Evidence& evidence, bool all_given, bool accepted, std::string_view parameters,
                      std::string_view flags) {
  if (is_sufficient(evidence) || all_given || accepted) return;
  throw Error(Errc::unknown_format,
              "the passphrase fits " + std::string(parameters) +
                  ", but a wrong one could by chance; if these are the parameters, give " +
                  std::string(flags) + ", or --yes");
}

}  // namespace fugu::format
