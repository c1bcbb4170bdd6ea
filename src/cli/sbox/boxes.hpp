// The boxes that the command line names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/sbox/parse.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

struct NamedBox {
  std::string name;  // as it was given, not printable
  spectral::SBox box;
  std::optional<stream::FileId> file{};  // so that it is not overwritten by its result
};

// Throws Error{usage}.
BoxOptions box_options(const Arguments& arguments);

// Throws Error{usage} for options about files where `operands` name none, and for --key where no box has one.
void check_box_options(const Arguments& arguments, const std::vector<std::string>& operands);

// A name from fugu sbox list. None: another name. Throws Error{usage} for a family whose parameters mean
// nothing.
std::optional<spectral::SBox> listed_box(const std::string& name);

// The list: a line for each name or family, with its size and origin.
std::string box_list();

// A name from the list or of keyed.hpp, a file, or - for standard input; a file that is there comes before a
// name. With --batch each line or row is a box. Throws Error naming the file.
std::vector<NamedBox> read_boxes(const std::string& operand, const Arguments& arguments);

// The same where one box is meant.
NamedBox read_one_box(const std::string& operand, const Arguments& arguments);

}  // namespace fugu::cli
