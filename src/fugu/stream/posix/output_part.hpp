// A part of an output that several processes write (OutputFileOptions::shared_as).
#pragma once

#include "fugu/stream/sink.hpp"

namespace fugu::stream {

class FileWriter;
class HugePages;

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
