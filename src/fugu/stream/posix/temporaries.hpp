// The temporary files of outputs, for those who end the process or share an output with other processes.
#pragma once

#include <array>
#include <filesystem>

#include "fugu/stream/sink.hpp"

namespace fugu::stream {

class FileWriter;
class HugePages;
class OutputDirectory;

// A path for the output named `output` until it gets its name, with new random bits. Throws Error{io}.
FUGU_EXPORT std::filesystem::path shared_temporary_path(const std::string& output);

// A file that another process creates, for writers of a shared output: while this lives, unlink_temporaries()
// removes that file too, if it exists. Made before the file, it leaves no moment in which the other process
// alone could.
class FUGU_EXPORT ForeignTemporary {
 public:
  // Throws Error{io}.
  explicit ForeignTemporary(const std::filesystem::path& path);
  ~ForeignTemporary();
  ForeignTemporary(const ForeignTemporary&) = delete;
  ForeignTemporary& operator=(const ForeignTemporary&) = delete;

 private:
  std::shared_ptr<OutputDirectory> directory_;
  std::size_t slot_ = 0;
};

// The outputs that did not get their names.
struct Unfinished {
  std::size_t outputs = 0;
  std::array<char, 256> first{};  // the last part of its name
  bool first_exists = false;      // as another file, which was to be replaced
};

// Async-signal-safe: unlinks the temporary files of every live OutputFile of this process. For signal
// handlers that then exit: no OutputFile can be created afterwards.
FUGU_EXPORT Unfinished unlink_temporaries() noexcept;

// A part of an output that several processes write (OutputFileOptions::shared_as).
class FUGU_EXPORT OutputPart final : public Sink {
 public:
  // `descriptor`: the output under its temporary path, open for reading and writing. It outlives this. Writes
  // from `begin` on; with an `end`, as one of so many that write at a time that large pages pay in memory.
  OutputPart(int descriptor, std::uint64_t begin, std::uint64_t end = 0);
  ~OutputPart() override;

  void write(std::span<const std::byte> from) override;
  void write_parts(std::span<const std::span<const std::byte>> parts) override;

  bool is_in_memory() const noexcept { return in_memory_; }

 private:
  std::unique_ptr<HugePages> pages_;
  std::unique_ptr<FileWriter> file_;
  bool in_memory_;
};

}  // namespace fugu::stream
