// A part of an output that several processes write (OutputFileOptions::shared_as).
#pragma once

#include <cstdint>
#include <memory>

#include "fugu/export.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::stream {

class FileWriter;

class FUGU_EXPORT OutputPart final : public Sink {
 public:
  // `descriptor`: the output under its temporary path, open for writing. It outlives this. Writes from
  // `begin` on.
  OutputPart(int descriptor, std::uint64_t begin);
  ~OutputPart() override;

  void write(std::span<const std::byte> from) override;
  void write_parts(std::span<const std::span<const std::byte>> parts) override;

  bool is_in_memory() const noexcept { return in_memory_; }

 private:
  std::unique_ptr<FileWriter> file_;
  bool in_memory_;
};

}  // namespace fugu::stream
