// Names of files, and the checks before a passphrase is requested.
//
// These checks save the user work; those that protect data are repeated where the files are opened.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/files/inputs.hpp"
#include "cli/options.hpp"
#include "fugu/error.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

struct Task {
  std::string input;                  // "-": standard input
  std::string output;                 // "-": standard output
  std::string directory = {};         // --output-dir: directories from here to the output may be created
  std::optional<Error> problem = {};  // as InputName::problem
  bool is_tree = false;               // as InputName::is_tree; its output is a directory
  std::shared_ptr<const stream::WalkedDirectory> found_in = {};  // InputName::directory

  // A file whose output goes beside it, in the directory in which a walk has found it.
  bool stays_there() const { return found_in && !is_tree && directory.empty(); }
};

// The inputs (inputs.hpp) with the names of their outputs: FILE and the default format's extension for FILE,
// and back by removing that or the extension of another format; FILE.decrypted if there is none; below --output-dir if that is given. Of files
// found in directories, those already encrypted are left out of an encryption, and those not known to be
// encrypted out of other work. Throws Error{usage} when options contradict each other.
std::vector<Task> encrypt_tasks(const Arguments& arguments);
std::vector<Task> decrypt_tasks(const Arguments& arguments);

// Inputs that have no output.
std::vector<InputName> encrypted_inputs(const Arguments& arguments);

// Throws the task's problem; Error{io} for a missing input; OutputError when the output exists and must not
// be replaced, is the input, or has no directory to be created in.
void check_task(const Task& task, bool replace);

// Creates and syncs the missing directories of a task's output. They have the permissions of the input's
// directories, less what the umask forbids. Throws OutputError. Thread-safe.
void make_directories(const Task& task);

// Whether it has any to create. Thread-safe.
bool lacks_directories(const Task& task);

// The format whose magic a file begins with; null if there is none, or the source cannot seek.
const format::Codec* known_by_magic(stream::Source& source);

// The last name of a path.
std::string file_name(const std::string& path);

// `found_in`: the directory of a walk in which the file was found; no link is followed there. Throws
// Error{io}.
std::unique_ptr<stream::Source> open_input(
    const std::string& name, unsigned threads = 1,
    const std::shared_ptr<const stream::WalkedDirectory>& found_in = nullptr);

// Whether output to a file of this name appears on a terminal.
bool is_terminal(const std::string& output);

// The size, if known before reading.
std::optional<std::uint64_t> input_bytes(const std::string& name);

// Whether a descriptor can be read (O_RDONLY) or written (O_WRONLY). A descriptor that was
// closed when the program started can be neither (process.hpp).
bool allows(int descriptor, int access) noexcept;

}  // namespace fugu::cli
