// A command line's options for files, and its inputs: operands, lists of names, and with -r the files in
// directories.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/output_root.hpp"
#include "cli/files/work_options.hpp"
#include "cli/options.hpp"
#include "cli/process/progress.hpp"
#include "cli/process/secrets.hpp"
#include "fugu/error.hpp"
#include "fugu/stream/posix/walked_directory.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

inline constexpr std::string_view kStandardStream = "-";

// --rm, and --rm=fast, which does not read the output back before.
enum class Removal : std::uint8_t { none, after_reading_back, fast };

// A file that the run reads besides its inputs.
struct NamedFile {
  std::string path;
  std::string role;  // "holds the passphrase or key"
};

struct FilesRequest {
  std::vector<std::string> operands;      // standard input if there is neither an operand nor a list
  std::optional<std::string> files_from;  // a list of names
  char list_end = '\n';                   // of each name in it
  bool recursive = false;
  std::optional<std::string> output;
  std::optional<std::string> output_dir;
  bool replace = false;  // --force
  Removal removal = Removal::none;
  bool opens = false;                       // files that are encrypted
  std::string suffix = {};                  // that encryption adds to a name
  std::vector<NamedFile> named_by_options;  // no output may replace them, and --rm removes none
  ProgressStyle progress = ProgressStyle::on_request;
  WorkOptions work = {};
};

// "-" stands for /dev/stdin and /dev/stdout too. Throws Error{usage} when options contradict each other or
// standard input is requested twice.
FilesRequest files_request(const Arguments& arguments, const SecretSource& secret = {});

// An input and its output.
struct Task {
  std::string input;                                  // "-": standard input
  std::string output = std::string(kStandardStream);  // "-": standard output
  std::string below =
      {};  // the input's place under --output-dir: "d/sub/x" for any/where/d/sub/x, found in d
  std::optional<Error> problem = {};  // it cannot be processed
  bool is_tree = false;               // a directory that is one container; its output is a directory
  bool is_remark = false;             // no file: its problem is what --output-dir lacks
  // The directory of a file that a walk has found, or that is the container itself; otherwise null.
  std::shared_ptr<const stream::WalkedDirectory> found_in = {};
  std::shared_ptr<OutputRoot> root = {};  // --output-dir, if given

  // A file whose output goes beside it, in the directory in which a walk has found it.
  bool stays_there() const { return found_in && !is_tree && !root; }
};

// The reason to skip a regular file found in a directory, for a note; empty to take it.
using Skip = std::string (*)(const FilesRequest& request, const stream::WalkedDirectory& directory,
                             const std::string& name);

// The operands and those of the list, without outputs. With -r, directories are replaced by the regular files
// in and below them, in the order of their names; a note reports everything else there. Symbolic links there
// are not followed, and what cannot be examined becomes an input with a problem. A directory that is a
// container is an input itself where files are opened. `root` (--output-dir) learns the directories, and
// what it will lack is one more input with a problem. Throws Error{io} for a list that cannot be read.
std::vector<Task> inputs_of(const FilesRequest& request, Skip skip, OutputRoot* root = nullptr);

// `found_in`: the directory of a walk in which the file was found; no link is followed there. Throws
// Error{io}.
std::unique_ptr<stream::Source> open_input(
    const std::string& name, unsigned threads = 1,
    const std::shared_ptr<const stream::WalkedDirectory>& found_in = nullptr);

// Whether a descriptor can be read (O_RDONLY) or written (O_WRONLY). A descriptor that was
// closed when the program started can be neither (process.hpp).
bool allows(int descriptor, int access) noexcept;

}  // namespace fugu::cli
