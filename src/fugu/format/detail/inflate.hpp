// Decompression on the way to a sink, with a bound on the output. Private to format.
#pragma once

#include "fugu/format/codec.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::format {

enum class Compression : std::uint8_t { deflate, zlib, gzip, bzip2 };  // RFC 1951, 1950, 1952; bzip2(1)

// The default limit on output is 200 times the input read, or 64 MiB if that is more: beyond what data
// compresses to, but short of decompression bombs (1000 times and more).
inline constexpr std::uint64_t kUsualExpansion = 200;
inline constexpr std::uint64_t kAlwaysAllowedBytes = std::uint64_t{64} << 20;

class OutputLimit {
 public:
  OutputLimit() = default;
  explicit OutputLimit(std::optional<std::uint64_t> bytes) : bytes_(bytes) {}
  explicit OutputLimit(const OptionValues& options) : bytes_(options.number("max-output")) {}

  // Throws OverLimit{damaged} when `out` bytes from `in` bytes are too many.
  void check(std::uint64_t in, std::uint64_t out) const;

 private:
  std::optional<std::uint64_t> bytes_;
};

inline constexpr OptionRow kMaxOutputRow = number_option(
    "max-output BYTES", {1},
    "Inflate compressed content to this much at most. Default: 200 times its size, or 64 MiB if "
    "that is more.",
    OptionUse::open);

// write() takes compressed bytes and passes on the decompressed ones. Throws Error{damaged} for bytes that
// are not of this compression, for any after its end, from finish() when the end is missing, and when `limit`
// is exceeded. gzip and bzip2 streams may be concatenated.
std::unique_ptr<stream::Sink> inflater(Compression compression, stream::Sink& inner, OutputLimit limit);

}  // namespace fugu::format
