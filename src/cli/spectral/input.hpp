// Input of the operations of fugu spectral.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "cli/spectral/values.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

// All bytes of a file, or of standard input ("-"). Throws Error{io}.
std::string read_all(const std::string& name, const Arguments& arguments);

// Of --from and --to.
std::optional<ValueFormat> format_option(const Arguments& arguments, std::string_view option);

// Before anything is read or computed: no result takes the place of what it was made from. Throws Error{io},
// also when an input is not there.
void check_spectral_files(const Arguments& arguments);

// All of a file, or of standard input ("-"), as the options say it is to be read: whole rows of a power of
// two, or a truth table. Throws Error naming the file.
Input read_input(const std::string& name, const Arguments& arguments);

// So that an input is not overwritten by its own result.
std::optional<stream::FileId> open_input_id(const std::string& name);

}  // namespace fugu::cli
