// The names of a run's inputs: operands, lists of names, and with -r the files that directories hold.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {

inline constexpr std::string_view kStandardStream = "-";

struct InputName {
  std::string name;   // "-": standard input
  std::string below;  // its place under --output-dir: "d/sub/x" for d/sub/x, found in any/where/d
  std::optional<Error> problem = {};  // it cannot be worked on
  bool is_tree = false;               // a directory that is one container
};

// Why a regular file that was found in a directory is not meant, for a note; empty: it is meant.
using Skip = std::function<std::string(const std::string& name)>;

// Whether the name is that of a directory that is a container.
bool names_tree(const std::string& directory);

// Whether such directories are inputs themselves, and not what they hold.
enum class Trees { as_inputs, as_directories };

// The operands with those of --files-from, or standard input when neither is given; /dev/stdin is called "-"
// as well. Directories, with -r, give way to the regular files in and below them, in the order of their
// names; a note tells of everything else there. Symbolic links there are not followed. Throws Error{usage}
// when standard input is asked for twice, Error{io} for a list that cannot be read.
std::vector<InputName> input_names(const Arguments& arguments, const Skip& skip, Trees trees);

}  // namespace fugu::cli
