// Destinations of results: a file that appears whole or not at all, or standard output.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fugu/error.hpp"
#include "fugu/stream/output_file.hpp"
#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

// A failure of the output, so that its message names the output and not the input.
class OutputError : public Error {
 public:
  using Error::Error;
};

inline constexpr const char* kOverItself = "is the input as well; a file cannot be written over itself";

struct OutputOptions {
  bool replace = false;
  bool binary = true;  // refused on a terminal; otherwise only non-text is
  std::optional<stream::FileId> input;
  std::optional<stream::FileAttributes> like;  // as in stream::OutputFileOptions
  std::optional<std::uint64_t> expected_bytes;
  unsigned threads = 1;  // as in stream::OutputFileOptions
  stream::OutputDirectories* directories = nullptr;
};

class Output final : public stream::Sink {
 public:
  enum class Kind : std::uint8_t { new_file, replaced_file, direct };

  // Throws OutputError.
  Output(std::string name, const OutputOptions& options);
  ~Output() override;

  void write(std::span<const std::byte> from) override { write_parts({&from, 1}); }
  void write_parts(std::span<const std::span<const std::byte>> parts) override;
  bool has_parts() const override { return sink().has_parts(); }
  std::unique_ptr<Sink> part(std::uint64_t offset) override;
  void advance(std::uint64_t bytes) override;
  void finish() override;

  // Gives a file its name, after syncing it.
  void commit();

  bool is_untouched() const { return kind_ != Kind::direct || written_bytes() == 0; }

  // The state that a user finds after a failure before commit().
  std::string state() const;

 private:
  void open_file(const OutputOptions& options);

  stream::Sink& sink() const {
    if (text_) return *text_;
    return file_ ? *file_ : *standard_;
  }

  // Valid even if the rest failed.
  std::uint64_t written_bytes() const { return file_ ? file_->written_bytes() : standard_bytes_; }

  std::string name_;
  Kind kind_ = Kind::direct;
  std::uint64_t standard_bytes_ = 0;
  std::unique_ptr<stream::OutputFile> file_;  // exactly one of the two is set
  std::unique_ptr<stream::Sink> standard_;
  std::unique_ptr<stream::Sink> text_;  // before either, where that is a terminal
};

}  // namespace fugu::cli
