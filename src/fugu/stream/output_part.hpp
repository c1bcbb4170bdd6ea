// A part of an output that several processes write (OutputFileOptions::shared_as). Files kept in memory get
// large pages of each process's own, where write(2) would admit one process at a time.
#pragma once

#include <cstdint>
#include <memory>

#include "fugu/export.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::stream {

class FileWriter;

struct OutputPartPlace {
  std::uint64_t begin = 0;
  std::uint64_t end = ~std::uint64_t{0};  // the default: nobody writes after `begin`
  unsigned threads = 1;                   // threads of this process
  unsigned all_threads = 1;               // threads of all writers of the output
};

class FUGU_EXPORT OutputPart final : public Sink {
 public:
  // `descriptor`: the output under its temporary path, open for reading and writing. It outlives this.
  OutputPart(int descriptor, const OutputPartPlace& place);
  ~OutputPart() override;

  void write(std::span<const std::byte> from) override;
  void write_parts(std::span<const std::span<const std::byte>> parts) override;

  bool is_in_memory() const noexcept { return in_memory_; }

 private:
  std::unique_ptr<FileWriter> file_;
  bool in_memory_;
};

}  // namespace fugu::stream
