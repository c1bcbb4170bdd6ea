// A part of an output that several processes of one machine write (OutputFileOptions::shared), for files kept
// in memory: write(2) admits one process per file at a time, while here each fills pages of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "fugu/export.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::stream {

struct OutputPartPlace {
  std::uint64_t begin = 0;
  std::uint64_t end = ~std::uint64_t{0};  // the default: nobody writes after `begin`
  unsigned threads = 1;                   // threads of this process
  unsigned all_threads = 1;               // threads of all writers of the output
};

class FUGU_EXPORT OutputPart final : public Sink {
 public:
  // Null if the file is not kept in memory. Throws Error{io}.
  static std::unique_ptr<OutputPart> open(const std::filesystem::path& temporary,
                                          const OutputPartPlace& place);
  ~OutputPart() override;

  void write(std::span<const std::byte> from) override;
  void write_parts(std::span<const std::span<const std::byte>> parts) override;

 private:
  struct State;

  explicit OutputPart(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace fugu::stream
