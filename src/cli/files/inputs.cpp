// Lists of names, and walks through directories.
#include "cli/files/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

namespace fugu::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxNameBytes = 4096;  // PATH_MAX
constexpr std::size_t kMaxNames = std::size_t{1} << 24;

// The names of a list, each ended by one given character, which the last may lack.
std::vector<std::string> listed_names(stream::Source& list, char end) {
  std::vector<std::string> names;
  std::string name;
  const auto end_name = [&] {
    if (names.size() == kMaxNames) refuse("holds more than 16777216 names");
    if (!name.empty()) names.push_back(std::exchange(name, {}));
  };
  std::vector<char> buffer(std::size_t{1} << 16);
  while (const std::size_t got = list.read(std::as_writable_bytes(std::span(buffer)))) {
    for (const char c : std::string_view(buffer.data(), got)) {
      if (c != end && c == '\0') refuse("holds a NUL byte; -0 reads names that end with one");
      if (c != end && name.size() == kMaxNameBytes) refuse("holds a name of more than 4096 bytes");
      c == end ? end_name() : name.push_back(c);
    }
  }
  end_name();
  return names;
}

std::vector<std::string> read_list(const std::string& list, char end) {
  return with_context(input_title(list), [&] { return listed_names(*open_input(list), end); });
}

// As cp(1) names copies: the last part of the operand, or nothing if that is . or ..
std::string place_of_operand(std::string_view operand) {
  while (operand.size() > 1 && operand.ends_with('/')) operand.remove_suffix(1);
  const std::string_view last = operand.substr(operand.rfind('/') + 1);  // npos + 1 is 0
  return std::string(last == "." || last == ".." ? "" : last);
}

// Names from a list keep their directories.
std::string place_of_listed(const std::string& name) {
  const fs::path path = fs::path(name).lexically_normal().relative_path();
  if (path.begin() != path.end() && *path.begin() == "..") refuse("{}: leads out of --output-dir", name);
  return path == "." ? "" : path.string();
}

std::string joined(const std::string& directory, const std::string& name) {
  return directory.empty() || directory.ends_with('/') ? directory + name : directory + "/" + name;
}

// Whether a directory is a container. Throws Error{io} if that cannot be determined.
bool is_tree(const stream::Descriptor& directory) {
  const auto holds = [&](std::string_view head) {
    struct stat status;
    if (::fstatat(directory.get(), std::string(head).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
      return S_ISREG(status.st_mode);
    if (errno != ENOENT) throw system_error("cannot open", errno);
    return false;
  };
  return std::ranges::any_of(format::codecs(), [&](const format::Codec* codec) {
    return std::ranges::any_of(codec->tree_heads, holds);
  });
}

class Collector {
 public:
  Collector(const FilesRequest& request, Skip skip, OutputRoot* root)
      : request_(request), skip_(skip), root_(root) {}

  void add(const std::string& name, const std::string& below) {
    struct stat status {};
    const bool is_directory =
        name != kStandardStream && ::stat(name.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
    if (!is_directory) return inputs_.push_back({.input = name, .below = below});
    add_directory(std::make_shared<stream::WalkedDirectory>(name), name, below);
  }

  std::vector<Task> inputs() && {
    if (!lacking_.empty()) {
      std::string all;
      for (const auto& [what, count] : lacking_)
        all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", what, count);
      const char* const tar = request_.opens ? "" : "; `tar c DIR | fugu encrypt` keeps all";
      inputs_.push_back({.input = *request_.output_dir,
                         .problem = Error(Errc::io, fmt::format("lacks {}; -v names them{}", all, tar)),
                         .is_remark = true});
    }
    return std::move(inputs_);
  }

 private:
  using Directory = std::shared_ptr<stream::WalkedDirectory>;

  // The one place that decides what to do with a directory.
  void add_directory(const Directory& directory, const std::string& name, const std::string& below) {
    try {
      if (name.size() >= kMaxNameBytes) throw system_error("cannot open", ENAMETOOLONG);
      if (request_.opens && is_tree(*directory->open()))
        return inputs_.push_back({.input = name, .below = below, .is_tree = true, .found_in = directory});
      if (!request_.recursive) refuse_directory(name);
      walk(directory, name, stands_for_output(*directory) ? "" : below);
    } catch (const Error& error) {
      inputs_.push_back({.input = name, .below = below, .problem = error});
    }
  }

  // The one directory that is named is --output-dir itself there; of several inputs each keeps its name.
  bool stands_for_output(const stream::WalkedDirectory& directory) const {
    return directory.parent() == nullptr && request_.operands.size() == 1 && !request_.files_from;
  }

  [[noreturn]] void refuse_directory(const std::string& name) const {
    throw Error(Errc::io, request_.opens ? "is a directory; -r takes the files in it"
                                         : fmt::format("is a directory; -r --output-dir DIR encrypts the "
                                                       "files in it, `tar c {} | fugu encrypt` all as one",
                                                       name));
  }

  void walk(const Directory& directory, const std::string& name, const std::string& below) {
    if (directory->parent() == nullptr && walks_++ < kMaxHeld) directory->hold();
    std::shared_ptr<const stream::Descriptor> opened = directory->open();
    if (root_ != nullptr) root_->keep(*opened, name, below);
    const stream::TreeListing listing = stream::list(*opened);
    if (listing.problem) inputs_.push_back({.input = name, .below = below, .problem = listing.problem});
    for (const stream::TreeEntry& entry : listing.entries) {
      const bool is_directory = entry.kind == stream::TreeEntryKind::directory;
      if (is_directory) opened.reset();  // not every directory on the way down stays open
      Task found{.input = joined(name, entry.name),
                 .below = joined(below, entry.name),
                 .problem = entry.problem,
                 .found_in = directory};
      if (is_directory) {
        add_directory(std::make_shared<stream::WalkedDirectory>(directory, entry.name), found.input,
                      found.below);
      } else {
        if (!opened) opened = directory->open();  // for all files up to the next directory
        note_link(*opened, entry.name, found.input);
        add_found(entry, std::move(found));
      }
    }
  }

  void add_found(const stream::TreeEntry& entry, Task found) {
    using enum stream::TreeEntryKind;
    const std::string reason = entry.problem         ? ""
                               : entry.kind == link  ? "is a symbolic link"
                               : entry.kind == other ? "is not a regular file"
                                                     : skip_(request_, *found.found_in, entry.name);
    if (reason.empty()) return inputs_.push_back(std::move(found));
    const std::string text = fmt::format("{}: {}; skipped", found.input, reason);
    if (root_ == nullptr) return say_note(text);
    lack(entry.kind == link    ? "symbolic links"
         : entry.kind == other ? "pipes, sockets and devices"
         : request_.opens      ? "files not known to be encrypted"
                               : "files already encrypted",
         text);
  }

  void lack(std::string_view what, const std::string& text) {
    ++lacking_[what];
    say_detail(text);
  }

  // The content of a file with several names is written once for each.
  void note_link(const stream::Descriptor& directory, const std::string& name, const std::string& input) {
    struct stat status {};
    if (root_ == nullptr || ::fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode) || status.st_nlink < 2 ||
        linked_.emplace(status.st_dev, status.st_ino).second)
      return;
    lack("hard links between files", input + ": is a hard link, and becomes a file of its own");
  }

  // At most this many of the user's walks keep their first directory open until the work on it is done.
  static constexpr int kMaxHeld = 64;

  const FilesRequest& request_;
  Skip skip_;
  OutputRoot* root_;
  int walks_ = 0;
  std::vector<Task> inputs_;
  std::map<std::string_view, int> lacking_;   // in --output-dir
  std::set<std::pair<dev_t, ino_t>> linked_;  // files that have several names
};

// "-" for a standard stream under its other names, too.
void name_standard_stream(std::string& name, std::string_view device, char descriptor) {
  const std::string_view all = name;
  const bool is_number =
      all == "/dev/fd/" + std::string(1, descriptor) || all == "/proc/self/fd/" + std::string(1, descriptor);
  if (is_number || all == device) name = kStandardStream;
}

void name_standard_input(std::string& name) {
  name_standard_stream(name, "/dev/stdin", '0');
}

void refuse_second_use_of_standard_input(const FilesRequest& request, const SecretSource& secret) {
  const bool is_secret = secret.place == SecretPlace::descriptor && secret.where == "0";
  const bool is_list = request.files_from == kStandardStream;
  const auto among_operands = std::ranges::count(request.operands, kStandardStream);
  if (among_operands + (is_list ? 1 : 0) > 1 || (is_list && is_secret))
    refuse("standard input can be read only once");
}

std::vector<NamedFile> named_by_options(const Arguments& arguments, const SecretSource& secret) {
  std::vector<NamedFile> files;
  if (secret.place == SecretPlace::file) files.push_back({secret.where, "holds the passphrase or key"});
  for (const format::Codec* codec : format::codecs()) {
    for (const format::OptionRow& row : codec->options) {
      if (const auto path = arguments.value(row.name); path && row.from_file)
        files.push_back({*path, fmt::format("is the file of --{}", row.name)});
    }
  }
  return files;
}

// What libraries write, as messages, has no extension that anyone uses: it gets that of the default format.
std::string suffix_of(const std::optional<std::string>& format) {
  const format::Codec* codec = format ? format::find_codec(*format) : nullptr;
  if (codec == nullptr || codec->has_messages || codec->extensions.empty()) codec = &format::default_codec();
  return std::string(codec->extensions.front());
}

// Content that ends in zeros or spaces would come back without them.
void refuse_ambiguous_padding(const std::optional<std::string>& padding) {
  if (padding == "zero" || padding == "space" || padding == "rijndael_compat")
    refuse(
        "--pad {} and --rm cannot be combined: content that ends in such bytes would come back without them; "
        "compare, then remove the input",
        *padding);
}

}  // namespace

FilesRequest files_request(const Arguments& arguments, const SecretSource& secret) {
  const std::optional<std::string> removal = arguments.value("rm");
  FilesRequest request{.operands = arguments.operands(),
                       .files_from = arguments.value("files-from"),
                       .list_end = arguments.has("null") ? '\0' : '\n',
                       .recursive = arguments.has("recursive"),
                       .output = arguments.value("output"),
                       .output_dir = arguments.value("output-dir"),
                       .replace = arguments.has("force"),
                       .removal = !removal           ? Removal::none
                                  : removal->empty() ? Removal::after_reading_back
                                                     : Removal::fast,
                       .opens = arguments.subcommand().name != "encrypt",
                       .suffix = suffix_of(arguments.value("format")),
                       .named_by_options = named_by_options(arguments, secret)};
  if (request.operands.empty() && !request.files_from) request.operands.emplace_back(kStandardStream);
  std::ranges::for_each(request.operands, name_standard_input);
  if (request.files_from) name_standard_input(*request.files_from);
  if (request.output) name_standard_stream(*request.output, "/dev/stdout", '1');
  if (request.output_dir == "") refuse("--output-dir takes the name of a directory");
  if (removal) refuse_ambiguous_padding(arguments.value("pad"));
  refuse_second_use_of_standard_input(request, secret);
  request.progress = progress_style(arguments);
  request.work = work_options(arguments);
  return request;
}

bool allows(int descriptor, int access) noexcept {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags != -1 && ((flags & O_ACCMODE) == access || (flags & O_ACCMODE) == O_RDWR);
}

std::unique_ptr<stream::Source> open_input(const std::string& name, unsigned threads,
                                           const std::shared_ptr<const stream::WalkedDirectory>& found_in) {
  if (found_in)
    return stream::open_regular_file(found_in->open(), fs::path(name).filename().string(), threads);
  if (name != kStandardStream) return stream::open_file(name, threads);
  if (!allows(STDIN_FILENO, O_RDONLY)) throw Error(Errc::io, "is closed or not open for reading");
  if (::isatty(STDIN_FILENO) != 0)
    say_note("standard input is this terminal: type or paste the data, and end it with Ctrl-D");
  return stream::from_descriptor(STDIN_FILENO, threads);
}

std::vector<Task> inputs_of(const FilesRequest& request, Skip skip, OutputRoot* root) {
  Collector collector(request, skip, root);
  for (const std::string& operand : request.operands) collector.add(operand, place_of_operand(operand));
  if (!request.files_from) return std::move(collector).inputs();
  for (const std::string& name : read_list(*request.files_from, request.list_end)) {
    const bool is_dash = name == kStandardStream;  // a file of that name, like every line
    collector.add(is_dash ? "./-" : name, request.output_dir ? place_of_listed(name) : "");
  }
  return std::move(collector).inputs();
}

}  // namespace fugu::cli
