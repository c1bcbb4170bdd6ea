// Destinations of results: a file that appears whole or not at all, or standard output.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "fugu/stream/output_file.hpp"
#include "fugu/stream/posix/walked_directory.hpp"
#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {

using stream::OutputError;

inline constexpr const char* kOverItself = "is the input as well; a file cannot be written over itself";

struct OutputOptions {
  stream::OutputFileOptions file = {};  // but `within` and `shared_as`
  bool binary = true;                   // refused on a terminal; otherwise only non-text is

  // The directory that the output goes into, without following links there. Needs `file.directories`.
  std::shared_ptr<const stream::WalkedDirectory> within = {};

  // Makes that directory. The output is then opened when it is first needed.
  std::function<std::shared_ptr<const stream::WalkedDirectory>()> make_within = {};
};

class Output final : public stream::Sink {
 public:
  // Throws OutputError.
  Output(std::string name, OutputOptions options);
  ~Output() override;

  // As stream::OutputFile::reserve(), once the output is opened. Throws OutputError.
  void reserve(std::uint64_t bytes);

  void write(std::span<const std::byte> from) override { write_parts({&from, 1}); }
  void write_parts(std::span<const std::span<const std::byte>> parts) override;
  bool begin_parts(std::uint64_t bytes) override { return sink().begin_parts(bytes); }
  std::unique_ptr<Sink> part(std::uint64_t offset) override {
    return stream::as_output([&] { return sink().part(offset); });
  }
  void advance(std::uint64_t bytes) override {
    stream::as_output([&] { sink().advance(bytes); });
  }
  void finish() override {
    stream::as_output([&] { sink().finish(); });
  }

  // Gives a file its name, after syncing it.
  void commit();

  // A file that appears whole or not at all, which may not have been opened yet.
  bool is_file() const { return !standard_ && (!file_ || !file_->is_direct()); }

  bool is_untouched() const { return is_file() || written_bytes() == 0; }

  // The state that a user finds after a failure before commit().
  std::string state() const;

 private:
  // The last two open the output if that has not been done.
  void open_file() const;
  void open() const;
  stream::Sink& sink() const;

  // Valid even if the rest failed.
  std::uint64_t written_bytes() const { return file_ ? file_->written_bytes() : standard_bytes_; }

  std::string name_;
  OutputOptions options_;
  std::uint64_t reserved_bytes_ = 0;
  mutable std::uint64_t standard_bytes_ = 0;
  mutable std::unique_ptr<stream::OutputFile> file_;  // at most one of this and the next is set
  mutable std::unique_ptr<stream::Sink> standard_;
  mutable std::unique_ptr<stream::Sink> text_;  // in front of a terminal
};

}  // namespace fugu::cli
