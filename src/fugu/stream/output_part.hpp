// A part of an output that several processes of one machine write (OutputFileOptions::shared), where the file
// system keeps it in memory: write(2) lets one process at a time into a file, and here each fills pages of
// its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "fugu/export.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::stream {

struct OutputPartPlace {
  std::uint64_t begin = 0;
  std::uint64_t end = ~std::uint64_t{0};  // the default: nobody writes behind `begin`
  unsigned threads = 1;                   // what this process may use
  unsigned all_threads = 1;               // what all who write the output may
};

class FUGU_EXPORT OutputPart final : public Sink {
 public:
  // Null where the file is not kept in memory. Throws Error{io}.
  static std::unique_ptr<OutputPart> open(const std::filesystem::path& temporary,
                                          const OutputPartPlace& place);
  ~OutputPart() override;

  void write(std::span<const std::byte> from) override;

 private:
  struct State;

  explicit OutputPart(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace fugu::stream
