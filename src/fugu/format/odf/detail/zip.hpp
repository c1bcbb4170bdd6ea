// The local headers of a zip archive (APPNOTE.TXT, 4.3.7), each in front of its file. Private to odf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fugu/stream/source.hpp"

namespace fugu::format {

inline constexpr std::string_view kEndRecord = "PK\x05\x06";  // of the directory (4.3.16)
inline constexpr std::size_t kEndRecordBytes = 22;

struct ZipLocalFile {
  std::string_view name;
  std::uint64_t method;
  bool has_sizes;
  std::uint64_t stored_bytes;
  std::span<const std::byte> data;  // the file's data, and the rest of the archive
};

// Empty unless `at` begins with a local header.
std::optional<ZipLocalFile> zip_local_file(std::span<const std::byte> at);

// The archive with local headers that say what its directory says; empty if they do. Throws Error{damaged}
// for a directory that they cannot follow.
std::optional<std::vector<std::byte>> with_zip_headers(stream::Source& archive);

// The archive up to its last file, and a new directory of all files whose local headers are found; of a file
// that was cut, what there is. Throws Error{damaged} for an archive of more than kMaxWholeBytes.
std::vector<std::byte> with_zip_directory(stream::Source& archive);

}  // namespace fugu::format
