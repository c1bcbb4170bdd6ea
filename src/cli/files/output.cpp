#include "cli/files/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files/files.hpp"
#include "cli/process/console.hpp"
#include "cli/process/process.hpp"

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

}  // namespace fugu::cli
