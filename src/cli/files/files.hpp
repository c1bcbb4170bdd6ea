// A command line's options for files; its inputs: operands, lists of names, and with -r the files in
// directories; their outputs; and the checks before a passphrase is requested.
//
// These checks save the user work; those that protect data are repeated where the files are opened.
#pragma once

#include "cli/files/work_options.hpp"
#include "cli/process/console.hpp"
#include "cli/process/progress.hpp"
#include "cli/process/secrets.hpp"
#include "fugu/stream/posix/walked_directory.hpp"

namespace fugu::cli {

// "." for a name alone.
std::filesystem::path directory_of(const std::filesystem::path& file);

// The directories below --output-dir. No link below it is followed, whenever it came there. Thread-safe.
class OutputRoot {
 public:
  using Directory = std::shared_ptr<const stream::WalkedDirectory>;

  // Opened at once if it is there: what takes its place later is not followed either.
  explicit OutputRoot(std::filesystem::path path) : path_(std::move(path)) { find({}); }

  std::string path() const { return path_.string(); }

  // The directory at `below`, a path relative to the root; null if it cannot be opened now.
  Directory find(const std::filesystem::path& below);

  // The same, created and synced with its parents where they are missing. Its permissions and those of its
  // parents below the root are those of `like` and its parents, less what the umask forbids. Throws
  // Error{io}.
  Directory make(const std::filesystem::path& below, const std::filesystem::path& like);

  // Another directory, `opened`, that shall be there in the end with its time: parents before what they hold.
  void keep(const stream::Descriptor& opened, const std::string& input, const std::string& below);

  // Makes those that are missing, and sets the times of all that it can. Throws Error{io}.
  void finish();

 private:
  struct Kept {
    std::filesystem::path input;
    std::filesystem::path below;
    timespec modified;
  };

  Directory at(const std::filesystem::path& below, const std::filesystem::path* like);
  Directory top(bool may_make) const;

  std::filesystem::path path_;
  std::vector<Kept> kept_;
  std::mutex mutex_;  // held until a new directory is on the disk, so a directory that is found is there
  std::map<std::filesystem::path, Directory> known_;  // under mutex_
};

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
// closed when the program started can be neither (console.hpp).
bool allows(int descriptor, int access) noexcept;

// The inputs with their outputs: for encryption, FILE with the format's extension added;
// for work on encrypted files, FILE without its format's extension, or FILE.decrypted; below --output-dir if
// that is given. Of the files in a directory, encryption skips those that are encrypted already, and other
// work skips those not known to be encrypted. Throws Error{usage} for outputs that would have no name.
std::vector<Task> tasks_of(const FilesRequest& request);

// The same where nothing is written.
std::vector<Task> encrypted_inputs(const FilesRequest& request);

// Throws Error{usage} for --rm when there is no file to remove or none to keep instead; notes --rm=fast.
void check_removal(const FilesRequest& request, const std::vector<Task>& tasks);

// Throws the task's problem; Error{io} for a missing input; OutputError when the output exists and must not
// be replaced, is the input, or has no directory to be created in.
void check_task(const Task& task, bool replace);

// The directory of a task's output, in which no link is followed: one that a walk has found, or one below
// --output-dir. Null if the user has named the output, or if its directory is still to be made. Thread-safe.
std::shared_ptr<const stream::WalkedDirectory> output_directory(const Task& task);

// Makes the missing directories below --output-dir. Throws Error{io}. Thread-safe.
std::shared_ptr<const stream::WalkedDirectory> make_output_directory(const Task& task);

// The format whose magic a file begins with; null if there is none, or the source cannot seek.
const format::Codec* known_by_magic(stream::Source& source);

// The last name of a path.
std::string file_name(const std::string& path);

// Whether output to a file of this name appears on a terminal.
bool is_terminal(const std::string& output);

// Whether it can be opened once more after a failure: not what comes once, through a pipe or on standard
// input.
bool can_be_reopened(const Task& task);

// The size, if known before reading.
std::optional<std::uint64_t> input_bytes(const std::string& name);

// Throws Error{usage} naming two files that coincide, and Error{io} for one that cannot be examined. Checks
// names, links and their current targets; a file created later is found when it is opened.
void require_apart(const FilesRequest& request, const std::vector<Task>& tasks);

// The same for outputs that all `inputs` go into, or that replace files.
void require_apart(const std::vector<std::string>& secret_files, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs);

}  // namespace fugu::cli
