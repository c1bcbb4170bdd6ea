// A command line's options for files, and the names of its inputs: operands, lists of names, and with -r the
// files in directories.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/work_options.hpp"
#include "cli/options.hpp"
#include "cli/process/progress.hpp"
#include "fugu/error.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/walked_directory.hpp"

namespace fugu::cli {

inline constexpr std::string_view kStandardStream = "-";

struct FilesRequest {
  std::vector<std::string> operands;      // standard input if there is neither an operand nor a list
  std::optional<std::string> files_from;  // a list of names
  char list_end = '\n';                   // of each name in it
  bool recursive = false;
  std::optional<std::string> output;
  std::optional<std::string> output_dir;
  bool replace = false;       // --force
  bool remove_input = false;  // --rm
  bool read_back = false;     // --rm that is not fast
  bool opens = false;         // a file beside an input may belong to it
  std::vector<std::string> secret_files;
  ProgressStyle progress = ProgressStyle::on_request;
  WorkOptions work;
};

// "-" stands for /dev/stdin and /dev/stdout too. Throws Error{usage} when options contradict each other or
// standard input is requested twice.
FilesRequest files_request(const Arguments& arguments);

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

// The operands and those of the list. With -r, directories are replaced by the regular files in and below
// them, in the order of their names; a note reports everything else there. Symbolic links there are not
// followed, and what cannot be examined becomes an input with a problem. Throws Error{io} for a list that
// cannot be read.
std::vector<InputName> input_names(const FilesRequest& request, const Skip& skip, Trees trees);

// `found_in`: the directory of a walk in which the file was found; no link is followed there. Throws
// Error{io}.
std::unique_ptr<stream::Source> open_input(
    const std::string& name, unsigned threads = 1,
    const std::shared_ptr<const stream::WalkedDirectory>& found_in = nullptr);

// Whether a descriptor can be read (O_RDONLY) or written (O_WRONLY). A descriptor that was
// closed when the program started can be neither (process.hpp).
bool allows(int descriptor, int access) noexcept;

}  // namespace fugu::cli
