#include "cli/cipher/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "cli/cipher/output.hpp"
#include "cli/process/console.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

// A pipe or a device lends its output no name.
void require_file(const std::string& input) {
  struct stat status {};
  if (::stat(input.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return;
  throw Error(Errc::usage, fmt::format("{}: is not a file; say with -o what to write", printable(input)));
}

std::string encrypted_name(const std::string& input) {
  require_file(input);
  return input + std::string(kSuffix);
}

// Extensions that programs for these formats, or people, give their files.
constexpr std::string_view kExtensions[] = {kSuffix, ".enc", ".bf",  ".bfe",     ".bfa", ".nc",
                                            ".gpg",  ".pgp", ".asc", ".openssl", ".cbc", ".vim"};
constexpr std::string_view kDecryptedSuffix = ".decrypted";

std::string decrypted_name(const std::string& input) {
  require_file(input);
  const std::string_view name = input;
  const std::string_view base = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  for (const std::string_view extension : kExtensions) {
    if (base.ends_with(extension) && base != extension)
      return std::string(name.substr(0, name.size() - extension.size()));
  }
  return input + std::string(kDecryptedSuffix);
}

std::vector<Task> tasks(const Arguments& arguments, std::string (*output_name)(const std::string&)) {
  const std::vector<std::string> inputs = input_names(arguments);
  std::optional<std::string> output = arguments.value("output");
  if (output == "/dev/stdout") output = kStandardStream;
  if (output && inputs.size() > 1) {
    throw Error(Errc::usage, fmt::format("-o names one output, but {} files are given", inputs.size()));
  }
  if (std::count(inputs.begin(), inputs.end(), kStandardStream) > 1) {
    throw Error(Errc::usage, "standard input can be read only once");
  }
  std::vector<Task> result;
  for (const std::string& input : inputs) {
    const bool streams = input == kStandardStream;
    result.push_back({input, output ? *output : streams ? std::string(kStandardStream) : output_name(input)});
  }
  return result;
}

// Looks before the passphrase is asked for: nobody likes to learn of a typing error after it.
void check_directory_of(const std::string& output) {
  const std::size_t slash = output.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : output.substr(0, slash + 1);
  if (::access(directory.c_str(), W_OK | X_OK) == 0) return;
  const bool is_there = errno == EACCES || errno == EROFS;
  throw OutputError(
      Errc::io, system_error(is_there ? "cannot create a file" : "cannot open its directory", errno).text());
}

}  // namespace

bool allows(int descriptor, int access) noexcept {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags != -1 && ((flags & O_ACCMODE) == access || (flags & O_ACCMODE) == O_RDWR);
}

std::vector<Task> encrypt_tasks(const Arguments& arguments) {
  return tasks(arguments, encrypted_name);
}
std::vector<Task> decrypt_tasks(const Arguments& arguments) {
  return tasks(arguments, decrypted_name);
}

std::vector<std::string> input_names(const Arguments& arguments) {
  if (arguments.operands().empty()) return {std::string(kStandardStream)};
  std::vector<std::string> names = arguments.operands();
  std::ranges::replace(names, "/dev/stdin", std::string(kStandardStream));
  return names;
}

void check_task(const Task& task, bool replace) {
  struct stat input {};
  if (task.input == kStandardStream) {
    if (::fstat(STDIN_FILENO, &input) != 0 || !S_ISREG(input.st_mode)) input.st_ino = 0;
  } else {
    if (::stat(task.input.c_str(), &input) != 0) throw system_error("cannot open", errno);
    if (S_ISDIR(input.st_mode)) throw Error(Errc::io, "is a directory");
  }
  struct stat output {};
  if (task.output == kStandardStream) return;
  if (::lstat(task.output.c_str(), &output) != 0) return check_directory_of(task.output);
  if (::stat(task.output.c_str(), &output) != 0) return;  // a link to what will be made
  if (input.st_ino != 0 && input.st_dev == output.st_dev && input.st_ino == output.st_ino) {
    throw OutputError(Errc::io, kOverItself);
  }
  if (S_ISREG(output.st_mode) && !replace) {
    throw OutputError(Errc::io, "exists; not overwritten (use -f)");
  }
}

std::unique_ptr<stream::Source> open_input(const std::string& name, unsigned threads) {
  if (name != kStandardStream) return stream::open_file(name, threads);
  if (!allows(STDIN_FILENO, O_RDONLY)) throw Error(Errc::io, "is closed or not open for reading");
  return stream::from_descriptor(STDIN_FILENO, threads);
}

std::optional<std::uint64_t> input_bytes(const std::string& name) {
  struct stat status {};
  const int failure =
      name == kStandardStream ? ::fstat(STDIN_FILENO, &status) : ::stat(name.c_str(), &status);
  if (failure != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace fugu::cli
