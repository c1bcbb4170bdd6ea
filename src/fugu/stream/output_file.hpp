// The one class that writes output files.
//
// Bytes go to a temporary file in the target's directory, mode 0600. commit() checks everything, syncs, gives it the
// final name in one step and syncs the directory. Without commit() the temporary file disappears and the final name
// is as it was. An existing target is refused unless `replace` is set, also when it appears while we write.
#pragma once

#include <optional>
#include <string>

#include "fugu/stream/sink.hpp"

namespace fugu::stream {

struct OutputFileOptions {
  bool replace = false;                  // -f
  std::optional<FileId> input;           // the input: the target must not be the same file, through whatever name
  std::optional<std::uint64_t> expected_bytes;  // reserve space early, so that a full disk shows before the work
};

class OutputFile final : public Sink {
 public:
  // Throws Error{io}.
  OutputFile(const std::string& path, const OutputFileOptions& options);
  ~OutputFile() override;

  void write(std::span<const std::byte> from) override;
  void commit();

 private:
  std::string path_;
  std::string temporary_path_;
  OutputFileOptions options_;
  int descriptor_ = -1;
};

// Async-signal-safe: unlinks the temporary files of every live OutputFile. For signal handlers that then exit.
void unlink_temporaries() noexcept;

}  // namespace fugu::stream
