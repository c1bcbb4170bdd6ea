// Names of files, and the checks before a passphrase is requested.
//
// These checks save the user work; those that protect data are repeated where the files are opened.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/files/inputs.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

// The inputs (inputs.hpp) with their outputs: for encryption, FILE with the format's extension added;
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
