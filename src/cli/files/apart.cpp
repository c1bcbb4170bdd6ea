#include "cli/files/files.hpp"
#include "cli/process/exit_status.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cli/process/console.hpp"
#include "fugu/error.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/stream/posix/descriptor.hpp"

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
  throw Error(Errc::usage, fmt::format("{}: {} and {}; nothing was done", path, used->second, use));
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
  for (const Task& task : tasks) {
    if (request.removal != Removal::none) refuse_if_used(uses, task.input, "would be removed");
  }
  if (request.files_from) add_use(uses, identity_of_input(*request.files_from), "names the inputs");
  for (const Task& task : tasks) add_use(uses, identity_of_input(task.input), "is an input");
  for (const Task& task : tasks)
    if (request.opens && task.output != kStandardStream) add_companions(uses, task.input);
  std::set<std::string_view> names;
  for (const Task& task : tasks) {
    if (task.output != kStandardStream && !names.insert(task.input).second)
      throw Error(Errc::usage, fmt::format("{}: is named twice; nothing was done", task.input));
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

}  // namespace fugu::cli
