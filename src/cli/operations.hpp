// Subcommands with several operations, such as fugu spectral walsh: which options apply to which operation.
#pragma once

#include <span>
#include <string_view>

#include "cli/options.hpp"

namespace fugu::cli {

// Throws Error{usage} for a given option that is neither among `own` nor one of those for every operation:
// outputs, engines and messages. Checks the values of these.
void refuse_unused_options(const Arguments& arguments, std::string_view operation,
                           std::span<const std::string_view> own);

}  // namespace fugu::cli
