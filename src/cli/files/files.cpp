#include "cli/files/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "cli/files/output.hpp"

namespace fugu::cli {
namespace {

namespace fs = std::filesystem;

// Identifies an existing file by its inode; one to be created, by the inode of the nearest existing directory
// and its name from there.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  std::string name;  // empty for an existing file

  auto operator<=>(const Identity&) const = default;
};

// Empty if the file does not exist or this process cannot reach it. Throws Error{io} naming the path if that
// cannot be determined.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) return status;
  for (const int absent : {ENOENT, ENOTDIR, EACCES, ELOOP, ENAMETOOLONG})
    if (errno == absent) return std::nullopt;
  throw Error(Errc::io, fmt::format("{}: {}", path, system_error("cannot open", errno).text()));
}

std::optional<Identity> identity_of(const std::string& path) {
  if (path == kStandardStream) return std::nullopt;
  if (const auto status = status_of(path)) {
    if (S_ISCHR(status->st_mode)) return std::nullopt;  // several uses of /dev/null may coincide
    return Identity{status->st_dev, status->st_ino, {}};
  }
  fs::path directory = with_context(path, [&] { return fs::path(stream::output_target(path)); });
  fs::path name;
  do {
    name = name.empty() ? directory.filename() : directory.filename() / name;
    directory = directory.has_parent_path() ? directory.parent_path() : ".";
    if (const auto status = status_of(directory.string()))
      return Identity{status->st_dev, status->st_ino, name.lexically_normal().string()};
  } while (directory.has_relative_path() && directory != ".");
  return std::nullopt;
}

using Uses = std::map<Identity, std::string>;  // the role of a file in the run

void refuse_if_used(const Uses& uses, const std::string& path, const std::string& use) {
  const std::optional<Identity> identity = identity_of(path);
  const auto used = identity ? uses.find(*identity) : uses.end();
  if (used == uses.end()) return;
  refuse("{}: {} and {}; nothing was done", path, used->second, use);
}

// Standard input may be a file.
std::optional<Identity> identity_of_input(const std::string& path) {
  struct stat status;
  if (path != kStandardStream) return identity_of(path);
  if (::fstat(STDIN_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return Identity{status.st_dev, status.st_ino, {}};
}

void add_use(Uses& uses, const std::optional<Identity>& identity, std::string use) {
  if (identity) uses.emplace(*identity, std::move(use));
}

// The input's format is not known yet, so every format's companion counts.
void add_companions(Uses& uses, const std::string& input) {
  for (const format::Codec* codec : format::codecs()) {
    if (codec->companion.empty()) continue;
    const std::string beside = fs::path(input).replace_extension(codec->companion).string();
    if (status_of(beside)) add_use(uses, identity_of(beside), fmt::format("can belong to {}", input));
  }
}

}  // namespace

void require_apart(const FilesRequest& request, const std::vector<Task>& tasks) {
  Uses uses;
  for (const NamedFile& file : request.named_by_options) add_use(uses, identity_of(file.path), file.role);
  for (const Task& task : tasks)
    if (request.removal != Removal::none) refuse_if_used(uses, task.input, "would be removed");
  if (request.files_from) add_use(uses, identity_of_input(*request.files_from), "names the inputs");
  for (const Task& task : tasks) add_use(uses, identity_of_input(task.input), "is an input");
  for (const Task& task : tasks)
    if (request.opens && task.output != kStandardStream) add_companions(uses, task.input);
  std::set<std::string_view> names;
  for (const Task& task : tasks) {
    if (task.output != kStandardStream && !names.insert(task.input).second)
      refuse("{}: is named twice; nothing was done", task.input);
    const std::string use = fmt::format("is the output for {}", input_title(task.input));
    refuse_if_used(uses, task.output, use);
    add_use(uses, identity_of(task.output), use);
  }
}

void require_apart(const std::vector<std::string>& secret_files, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs) {
  Uses uses;
  for (const std::string& path : secret_files)
    add_use(uses, identity_of(path), "holds the passphrase or key");
  for (const std::string& input : inputs) add_use(uses, identity_of_input(input), "is an input");
  for (const std::string& output : outputs) refuse_if_used(uses, output, "is the output");
}

namespace {

// The output of a pipe or a device cannot be named after its input.
void require_file(const std::string& input) {
  struct stat status {};
  if (::stat(input.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return;
  refuse("{}: is not a file; -o OUT is missing", input);
}

// A directory's name without trailing slashes.
std::string without_slashes(const std::string& directory) {
  const std::size_t last = directory.find_last_not_of('/');
  return last == std::string::npos ? directory : directory.substr(0, last + 1);
}

std::string is_encrypted_already(const FilesRequest& request, const stream::WalkedDirectory&,
                                 const std::string& name) {
  const std::string_view sealed = format::default_codec().extensions.front();
  return name.ends_with(request.suffix) || name.ends_with(sealed) ? "is already encrypted" : "";
}

// A file that cannot be read counts as encrypted, so that its error is shown.
std::string is_not_encrypted(const FilesRequest&, const stream::WalkedDirectory& directory,
                             const std::string& name) {
  try {
    if (!format::known_extension(name).empty()) return "";
    const auto source = stream::open_regular_file(directory.open(), name);
    return known_by_magic(*source) != nullptr ? "" : "is not known to be encrypted";
  } catch (const Error&) {
    return "";
  }
}

std::string decrypted_tree_name(const std::string& input) {
  const std::string name = without_slashes(input);
  const std::string base = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  if (base.empty() || base == "." || base == "..")
    refuse("{}: is decrypted into a directory: -o DIR is missing", input);
  return name + std::string(format::kDecryptedSuffix);
}

std::string output_of(const Task& task, const FilesRequest& request) {
  const std::optional<std::string>& directory = request.output_dir;
  if (task.input == kStandardStream) {
    if (directory) refuse("standard input has no name under --output-dir; use -o");
    return task.output;
  }
  if (task.problem) return task.input;
  if (!task.found_in) require_file(task.input);
  const std::string like = !directory                  ? task.input
                           : directory->ends_with('/') ? *directory + task.below
                                                       : *directory + "/" + task.below;
  if (!request.opens) return like + request.suffix;
  return task.is_tree ? decrypted_tree_name(like) : format::decrypted_name(like);
}

void refuse_stream(const Task& task) {
  if (!task.is_tree || task.output != kStandardStream) return;
  refuse("{}: is a directory, and is decrypted into one: -o DIR is missing", task.input);
}

// Checks before the passphrase is requested, so that typing errors in names show first. `may_be_made`: its
// parents count as well.
void check_directory_of(const std::string& output, bool may_be_made) {
  fs::path directory = directory_of(output);
  while (::access((directory / "").c_str(), W_OK | X_OK) != 0) {
    if (may_be_made && errno == ENOENT && directory != directory_of(directory)) {
      directory = directory_of(directory);
      continue;
    }
    const bool is_there = errno == EACCES || errno == EROFS;
    throw OutputError(
        Errc::io,
        system_error(is_there ? "cannot create a file in its directory" : "cannot open its directory", errno)
            .text());
  }
}

// `input`: its inode is 0 if it is no file.
void check_file_output(const Task& task, const struct stat& input, bool replace) {
  struct stat output {};
  if (::lstat(task.output.c_str(), &output) != 0)
    return check_directory_of(task.output, task.root != nullptr);
  if (::stat(task.output.c_str(), &output) != 0) {
    if (errno == ENOENT) return;  // a link to a file yet to be created
    throw OutputError(Errc::io, system_error("cannot open", errno).text());
  }
  if (input.st_ino != 0 && input.st_dev == output.st_dev && input.st_ino == output.st_ino)
    throw OutputError(Errc::io, kOverItself);
  if (S_ISDIR(output.st_mode)) throw OutputError(Errc::io, "is a directory; --output-dir writes into one");
  if (S_ISREG(output.st_mode) && !replace) throw OutputError(Errc::io, "exists; not overwritten (use -f)");
}

// The contents go into the output directory, which must not lie inside the input.
void check_tree_output(const Task& task) {
  const std::string output = without_slashes(task.output);
  struct stat status {};
  if (::stat(output.c_str(), &status) != 0) {
    check_directory_of(output, task.root != nullptr);
  } else if (!S_ISDIR(status.st_mode)) {
    throw OutputError(Errc::io, "exists and is not a directory");
  }
  if (stream::lies_inside(output, task.input)) throw OutputError(Errc::io, "lies inside the input");
}

}  // namespace

std::vector<Task> encrypted_inputs(const FilesRequest& request) {
  return inputs_of(request, is_not_encrypted);
}

std::vector<Task> tasks_of(const FilesRequest& request) {
  const auto root = request.output_dir
                        ? std::make_shared<OutputRoot>(directory_of(*request.output_dir + "/file"))
                        : nullptr;
  std::vector<Task> tasks =
      inputs_of(request, request.opens ? is_not_encrypted : is_encrypted_already, root.get());
  if (request.output && tasks.size() > 1)
    throw Error(
        Errc::usage,
        fmt::format("-o names one output, but {} files are given; --output-dir DIR takes all", tasks.size()));
  for (Task& task : tasks) {
    task.root = root;
    task.output = request.output ? *request.output : output_of(task, request);
    refuse_stream(task);
  }
  return tasks;
}

void check_removal(const FilesRequest& request, const std::vector<Task>& tasks) {
  if (request.removal == Removal::none) return;
  for (const Task& task : tasks) {
    if (task.problem || task.stays_there()) continue;  // left out, or judged alone when it is opened
    if (task.input == kStandardStream) refuse("--rm cannot remove standard input");
    struct stat status {};
    const bool is_pipe = task.output == kStandardStream || task.output.starts_with("/dev/fd/") ||
                         (::stat(task.output.c_str(), &status) == 0 && !S_ISREG(status.st_mode));
    if (is_pipe) refuse("--rm needs an output that is a file: nothing else is known to keep the data");
  }
  if (request.removal == Removal::fast)
    say_note("--rm=fast: outputs are not read back before their inputs are removed");
}

void check_task(const Task& task, bool replace) {
  if (task.problem) throw Error(*task.problem);
  struct stat input {};
  if (task.input == kStandardStream) {
    if (::fstat(STDIN_FILENO, &input) != 0 || !S_ISREG(input.st_mode)) input.st_ino = 0;
  } else if (::stat(task.input.c_str(), &input) != 0) {
    throw system_error("cannot open", errno);
  }
  if (task.output == kStandardStream) return;
  if (!task.is_tree) return check_file_output(task, input, replace);
  check_tree_output(task);
}

const format::Codec* known_by_magic(stream::Source& source) {
  const std::optional<std::uint64_t> size = source.size_bytes();
  const std::uint64_t bytes = std::min<std::uint64_t>(size.value_or(0), format::kRecogniseBytes);
  std::vector<std::byte> head(static_cast<std::size_t>(bytes));
  if (head.empty() || !source.read_at(head, 0)) return nullptr;
  for (const format::Codec* codec : format::codecs()) {
    if (codec->recognise != nullptr && codec->recognise(head, size) == format::Recognition::by_magic)
      return codec;
  }
  return nullptr;
}

std::shared_ptr<const stream::WalkedDirectory> output_directory(const Task& task) {
  if (task.root) return task.root->find(fs::path(task.below).parent_path());
  return task.found_in && !task.is_tree ? task.found_in : nullptr;
}

std::shared_ptr<const stream::WalkedDirectory> make_output_directory(const Task& task) {
  return task.root->make(fs::path(task.below).parent_path(), directory_of(task.input));
}

std::string file_name(const std::string& path) {
  return fs::path(path).filename().string();
}

bool is_terminal(const std::string& output) {
  if (output == kStandardStream) return ::isatty(STDOUT_FILENO) != 0;
  struct stat status {};
  if (::stat(output.c_str(), &status) != 0 || !S_ISCHR(status.st_mode)) return false;
  const stream::Descriptor device(::open(output.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  return device && ::isatty(device.get()) != 0;
}

bool can_be_reopened(const Task& task) {
  return task.is_tree || (task.input != kStandardStream && input_bytes(task.input));
}

std::optional<std::uint64_t> input_bytes(const std::string& name) {
  struct stat status {};
  const int failure =
      name == kStandardStream ? ::fstat(STDIN_FILENO, &status) : ::stat(name.c_str(), &status);
  if (failure != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace fugu::cli
