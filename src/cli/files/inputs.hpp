// The names of a run's inputs: operands, lists of names, and with -r the files in directories.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "fugu/error.hpp"
#include "fugu/stream/walked_directory.hpp"

namespace fugu::cli {

inline constexpr std::string_view kStandardStream = "-";

struct InputName {
  std::string name;   // "-": standard input
  std::string below;  // its place under --output-dir: "d/sub/x" for d/sub/x, found in any/where/d
  std::optional<Error> problem = {};  // it cannot be processed
  bool is_tree = false;               // a directory that is one container
  // The directory of a file that a walk has found, or that is the container itself; otherwise null.
  std::shared_ptr<const stream::WalkedDirectory> directory = {};
};

// The reason to skip a regular file found in a directory, for a note; empty to take it.
using Skip = std::function<std::string(const stream::WalkedDirectory& directory, const std::string& name)>;

// Whether such directories are inputs themselves, or only their contents are.
enum class Trees { as_inputs, as_directories };

// The operands and those of --files-from, or standard input if neither is given; /dev/stdin is "-" as well.
// With -r, directories are replaced by the regular files in and below them, in the order of their names; a
// note reports everything else there. Symbolic links there are not followed, and what cannot be examined
// becomes an input with a problem. Throws Error{usage} when standard input is requested twice, Error{io} for
// a list that cannot be read.
std::vector<InputName> input_names(const Arguments& arguments, const Skip& skip, Trees trees);

}  // namespace fugu::cli
