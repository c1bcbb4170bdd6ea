// Names of files, and what is checked about them before a passphrase is asked for.
//
// These checks spare the user work; the ones that protect data are made again where the files are opened.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/cipher/inputs.hpp"
#include "cli/options.hpp"
#include "fugu/error.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

inline constexpr std::string_view kSuffix = ".fugu";

struct Task {
  std::string input;                  // "-": standard input
  std::string output;                 // "-": standard output
  std::string directory = {};         // --output-dir: directories from here to the output may be made
  std::optional<Error> problem = {};  // as InputName::problem
  bool is_tree = false;               // as InputName::is_tree; its output is a directory
};

// The inputs (inputs.hpp) with the names of their outputs: FILE.fugu for FILE, and back without .fugu or
// another known extension; FILE.decrypted where there is none; below --output-dir where that is given. Of
// what is found in directories, files that are encrypted already are left out of an encryption, and those
// that are not known to be encrypted out of the rest. Throws Error{usage} when options contradict each other.
std::vector<Task> encrypt_tasks(const Arguments& arguments);
std::vector<Task> decrypt_tasks(const Arguments& arguments);

// Inputs that are decrypted to nowhere, or only looked at.
std::vector<InputName> encrypted_inputs(const Arguments& arguments);

// Throws the task's problem, Error{io} when the input is not there, OutputError when the output is there and
// must not be replaced or is the input, or has no directory that it could be made in.
void check_task(const Task& task, bool replace);

// Makes the directories that the output of a task lacks, and sees them on the disk. They have the permissions
// of the input's directories, less what the umask forbids. Throws OutputError. Thread-safe.
void make_directories(const Task& task);

// The format whose magic a file begins with; null where none does, or the source cannot be read at any place.
const format::Codec* known_by_magic(stream::Source& source);

// Throws Error{io}.
std::unique_ptr<stream::Source> open_input(const std::string& name, unsigned threads = 1);

// Whether what is written to a file of this name appears on a terminal.
bool is_terminal(const std::string& output);

// Size where it is known before reading.
std::optional<std::uint64_t> input_bytes(const std::string& name);

// Whether a descriptor can be read (O_RDONLY) or written (O_WRONLY). One that was closed when the program
// started cannot (process.hpp).
bool allows(int descriptor, int access) noexcept;

}  // namespace fugu::cli
