// Subcommands of several operations, such as fugu spectral walsh: which options mean something to which.
#pragma once

#include <span>
#include <string_view>

#include "cli/options.hpp"

namespace fugu::cli {

// Throws Error{usage} for an option that was given and is neither among `own` nor one of those that every
// operation has: where results go, what works, and what is said meanwhile. Checks the values of these.
void refuse_unused_options(const Arguments& arguments, std::string_view operation,
                           std::span<const std::string_view> own);

}  // namespace fugu::cli
