// A document's zip archive: reads it, and writes it again with some of its files replaced. Private to odf.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "fugu/core/wipe.hpp"
#include "fugu/format/detail/inflate.hpp"
#include "fugu/format/job.hpp"

namespace fugu::format {

// The replacement of a file.
struct OdfContent {
  core::WipedBytes bytes;
  bool is_deflated = false;  // `bytes` are deflated (RFC 1951); the next two members describe the content
  std::uint64_t plain_bytes = 0;
  std::uint32_t crc = 0;  // zip's CRC-32
};

class OdfPackage {
 public:
  // `source` outlives it. Throws Error{usage} for a source that cannot seek, Error{damaged} for anything but
  // a zip archive up to the source's end.
  OdfPackage(stream::Source& source, stream::PumpCounters* counters);
  ~OdfPackage();
  OdfPackage(const OdfPackage&) = delete;
  OdfPackage& operator=(const OdfPackage&) = delete;

  bool holds(std::string_view path) const;
  std::vector<std::string> paths() const;

  // The bytes of a file, with its CRC-32 checked. Throws Error{damaged}.
  core::WipedBytes read(const std::string& path, const OutputLimit& limit,
                        SalvageReport* salvage = nullptr) const;

  // `make` is called when it is the file's turn to be written; the archive holds one content at a time.
  void replace(const std::string& path, std::function<OdfContent()> make);

  // Writes the archive, with the other files unchanged. `limit` is for the whole: many names may stand for
  // one file's bytes. Throws what the contents throw. Call once.
  void write(stream::Sink& sink, const OutputLimit& limit);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fugu::format
