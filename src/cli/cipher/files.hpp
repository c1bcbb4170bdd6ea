// Names of files, and what is checked about them before a passphrase is asked for.
//
// These checks spare the user work; the ones that protect data are made again where the files are opened.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

inline constexpr std::string_view kStandardStream = "-";
inline constexpr std::string_view kSuffix = ".fugu";

struct Task {
  std::string input;   // "-": standard input
  std::string output;  // "-": standard output
};

// The files of the command line with the names of their outputs: FILE.fugu for FILE, and back without .fugu
// or another known extension; FILE.decrypted where there is none. Throws Error{usage} when the operands and
// -o contradict each other.
std::vector<Task> encrypt_tasks(const Arguments& arguments);
std::vector<Task> decrypt_tasks(const Arguments& arguments);

// The operands, or standard input when there are none; /dev/stdin is called "-" as well.
std::vector<std::string> input_names(const Arguments& arguments);

// Throws Error{io} when the input is not there or a directory, OutputError when the output is there and must
// not be replaced or is the input, or has no directory that it could be made in.
void check_task(const Task& task, bool replace);

// Throws Error{io}.
std::unique_ptr<stream::Source> open_input(const std::string& name, unsigned threads = 1);

// Size where it is known before reading.
std::optional<std::uint64_t> input_bytes(const std::string& name);

// Whether a descriptor can be read (O_RDONLY) or written (O_WRONLY). One that was closed when the program
// started cannot (process.hpp).
bool allows(int descriptor, int access) noexcept;

}  // namespace fugu::cli
