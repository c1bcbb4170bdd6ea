#include "cli/files/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "cli/files/files.hpp"

namespace fugu::cli {
namespace {

using stream::as_output;

constexpr const char* kNotForTerminals =
    "is a terminal, and the output is not text; use -o OUT or a redirection";

// Bytes that are not text can control a terminal: they are refused before the first of them is shown.
class TerminalText final : public stream::Sink {
 public:
  explicit TerminalText(Sink& inner) : inner_(inner) { forgo_status(); }

  void write(std::span<const std::byte> from) override {
    std::string_view text(reinterpret_cast<const char*>(from.data()), from.size());
    for (; !begun_.empty() && !text.empty(); text.remove_prefix(1)) {
      begun_ += text.front();
      begun_.erase(0, show(begun_));
    }
    begun_ += text.substr(show(text));
  }

  void finish() override {
    if (!begun_.empty()) throw OutputError(Errc::io, kNotForTerminals);
    inner_.finish();
  }

 private:
  // Shows the complete characters and returns their size.
  std::size_t show(std::string_view text) {
    const std::optional<std::size_t> bytes = harmless_bytes(text);
    if (!bytes) throw OutputError(Errc::io, kNotForTerminals);
    if (*bytes == 0) return 0;
    inner_.write(std::as_bytes(std::span(text.substr(0, *bytes))));
    leave_line(text[*bytes - 1]);
    return *bytes;
  }

  Sink& inner_;
  std::string begun_;  // at most 3 bytes of a character
};

std::unique_ptr<stream::Sink> standard_output(const OutputOptions& options, std::uint64_t* written) {
  if (!allows(STDOUT_FILENO, O_WRONLY))
    throw Error(Errc::io, "is closed or not open for writing; nothing was written");
  if (options.file.input && stream::file_id_of(STDOUT_FILENO) == options.file.input)
    throw Error(Errc::io, kOverItself);
  return stream::to_descriptor(STDOUT_FILENO, written);
}

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(path, none);
}

void sync_directory(const fs::path& directory) {
  const stream::Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || (::fsync(opened.get()) != 0 && errno != EINVAL))
    throw system_error("cannot sync its directory", errno);
}

// The root itself is reached as its user has named it, through links.
void make_root(const fs::path& directory, mode_t mode) {
  if (is_there(directory)) return;
  const fs::path parent = directory_of(directory);
  if (parent != directory) make_root(parent, 0777);
  if (::mkdir(directory.c_str(), mode) == 0) return sync_directory(parent);
  if (errno == EEXIST && is_there(directory)) return;  // another process was faster
  throw system_error("cannot make its directory", errno);
}

mode_t mode_like(const fs::path& directory) {
  struct stat status {};
  return ::stat(directory.c_str(), &status) == 0 ? (status.st_mode & 0777) | S_IRWXU : 0777;
}

}  // namespace

Output::Output(std::string name, OutputOptions options)
    : name_(std::move(name)), options_(std::move(options)) {
  if (!options_.make_within) open();
}

void Output::open() const {
  as_output([&] {
    const bool shows = !options_.within && !options_.make_within && is_terminal(name_);
    if (shows && options_.binary)
      throw Error(Errc::io, std::string(kNotForTerminals) + "; nothing was written");
    if (name_ == kStandardStream) {
      standard_ = standard_output(options_, &standard_bytes_);
    } else {
      open_file();
    }
    if (shows) text_ = std::make_unique<TerminalText>(sink());
  });
}

void Output::open_file() const {
  const auto within = options_.make_within ? options_.make_within() : options_.within;
  stream::OutputFileOptions options = options_.file;
  if (within) options.within = options.directories->at(within);
  file_ = std::make_unique<stream::OutputFile>(within ? file_name(name_) : name_, options);
  file_->reserve(reserved_bytes_);
}

void Output::reserve(std::uint64_t bytes) {
  reserved_bytes_ = bytes;
  if (file_) as_output([&] { file_->reserve(bytes); });
}

stream::Sink& Output::sink() const {
  if (!file_ && !standard_) open();
  if (text_) return *text_;
  return file_ ? *file_ : *standard_;
}

Output::~Output() = default;

void Output::write_parts(std::span<const std::span<const std::byte>> parts) {
  try {
    as_output([&] { sink().write_parts(parts); });
  } catch (const OutputError&) {
    if (standard_ && output_pipe_broken()) throw ReaderGone();
    throw;
  }
}

void Output::commit() {
  static_cast<void>(sink());
  if (file_) as_output([&] { file_->commit(); });
}

std::string Output::state() const {
  if (file_ && file_->has_its_name())
    return fmt::format("{} is complete, but a power failure may lose it", name_);
  if (file_ && file_->replaces()) return fmt::format("{} was not changed", name_);
  if (is_file()) return fmt::format("{} was not created", name_);
  if (written_bytes() == 0) return "nothing was written";
  return fmt::format("the {} bytes already on {} are not to be trusted", written_bytes(),
                     output_title(name_));
}

fs::path directory_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

OutputRoot::Directory OutputRoot::find(const fs::path& below) {
  const std::lock_guard lock(mutex_);
  try {
    return at(below, nullptr);
  } catch (const Error&) {
    return nullptr;
  }
}

OutputRoot::Directory OutputRoot::make(const fs::path& below, const fs::path& like) {
  const std::lock_guard lock(mutex_);
  return at(below, &like);
}

void OutputRoot::keep(const stream::Descriptor& opened, const std::string& input, const std::string& below) {
  struct stat status {};
  if (::fstat(opened.get(), &status) == 0) kept_.push_back({input, below, status.st_mtim});
}

void OutputRoot::finish() {
  std::optional<Error> first;
  for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) {
    try {
      const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, kept->modified};
      if (::futimens(make(kept->below, kept->input)->open()->get(), times) != 0)
        throw system_error("cannot set the times of its directories", errno);
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  if (first) throw Error(*first);
}

// Null for `like`: nothing is created.
OutputRoot::Directory OutputRoot::at(const fs::path& below, const fs::path* like) {
  if (const auto known = known_.find(below); known != known_.end()) return known->second;
  Directory found;
  if (below.empty()) {
    found = top(like != nullptr);
  } else {
    const fs::path above = like != nullptr ? like->parent_path() : fs::path();
    Directory parent = at(below.parent_path(), like != nullptr ? &above : nullptr);
    std::string name = below.filename().string();
    found = like != nullptr
                ? stream::WalkedDirectory::make(std::move(parent), std::move(name), mode_like(*like))
                : std::make_shared<stream::WalkedDirectory>(std::move(parent), std::move(name));
  }
  static_cast<void>(found->open());
  known_.emplace(below, found);
  return found;
}

// Stays open until the work is done.
OutputRoot::Directory OutputRoot::top(bool may_make) const {
  const bool is_one = !kept_.empty() && kept_.front().below.empty();
  if (may_make) make_root(path_, is_one ? mode_like(kept_.front().input) : 0777);
  auto found = std::make_shared<stream::WalkedDirectory>(path_);
  found->hold();
  return found;
}

}  // namespace fugu::cli
