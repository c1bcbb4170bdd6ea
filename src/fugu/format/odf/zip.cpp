// Makes the directory of a zip archive anew from its local headers. libzip reads archives by their directory
// alone.
#include "fugu/format/odf/detail/package.hpp"

#include <array>

#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

constexpr std::string_view kLocalHeader = "PK\x03\x04", kDirectoryHeader = "PK\x01\x02",
                           kDescriptor = "PK\x07\x08";
constexpr std::size_t kLocalHeaderBytes = 30, kDirectoryHeaderBytes = 46, kDescriptorBytes = 16;
constexpr std::uint64_t kInZip64 = 0xffffffff;

using Bytes = std::vector<std::byte>;

bool begins_part(std::span<const std::byte> at) {
  return at.empty() || starts_with(at, kLocalHeader) || starts_with(at, kDirectoryHeader) ||
         starts_with(at, kEndRecord);
}

// The bytes of a file and of the descriptor that may follow it.
std::size_t bytes_of_file(const ZipLocalFile& file) {
  const auto is_end = [&](std::uint64_t bytes) {
    return bytes <= file.data.size() && begins_part(file.data.subspan(static_cast<std::size_t>(bytes)));
  };
  const auto is_descriptor = [&](std::size_t bytes) {
    const auto at = file.data.subspan(bytes);
    return at.size() >= kDescriptorBytes && starts_with(at, kDescriptor) &&
           load_little(at.subspan(8, 4)) == bytes;
  };
  if (file.has_sizes && is_end(file.stored_bytes)) return static_cast<std::size_t>(file.stored_bytes);
  std::size_t bytes = 0;
  while (!is_end(bytes) && !is_descriptor(bytes)) ++bytes;
  return bytes + (is_end(bytes) ? 0 : kDescriptorBytes);
}

// Its entry in the directory; `at` begins with the local header, and `bytes` follow it.
void add_entry(Bytes& directory, std::span<const std::byte> at, std::uint64_t offset,
               const ZipLocalFile& file, std::size_t bytes) {
  std::array<std::byte, kDirectoryHeaderBytes> entry{};
  std::ranges::copy(bytes_in(kDirectoryHeader), entry.begin());
  // Versions, flags, method, time, checksum, sizes, the length of the name: as they stand in front of it.
  std::ranges::copy(at.subspan(4, 24), entry.begin() + 6);
  const std::size_t before = bytes - std::min(bytes, kDescriptorBytes);
  const auto descriptor = file.data.subspan(before, bytes - before);
  if (!file.has_sizes && starts_with(descriptor, kDescriptor)) {
    std::ranges::copy(descriptor.subspan(kDescriptor.size()), entry.begin() + 16);
    bytes = before;
  }
  store_little(bytes, std::span(entry).subspan(20, 4));
  if (file.method == 0) store_little(bytes, std::span(entry).subspan(24, 4));
  store_little(offset, std::span(entry).subspan(42, 4));
  append(directory, entry);
  append(directory, bytes_in(file.name));
}

core::WipedBytes whole(stream::Source& archive) {
  const std::uint64_t size = archive.size_bytes().value_or(0);
  if (size > kMaxWholeBytes)
    throw Error(Errc::damaged, "the zip archive is damaged, and too long to be repaired");
  core::WipedBytes all(static_cast<std::size_t>(size));
  if (!all.empty() && !archive.read_at(all, 0)) throw Error(Errc::io, "cannot be read again");
  return all;
}

}  // namespace

std::optional<ZipLocalFile> zip_local_file(std::span<const std::byte> at) {
  if (at.size() < kLocalHeaderBytes || !starts_with(at, kLocalHeader)) return std::nullopt;
  const auto field = [&](std::size_t offset, std::size_t bytes) {
    return load_little(at.subspan(offset, bytes));
  };
  const auto name_bytes = static_cast<std::size_t>(field(26, 2));
  const std::size_t data_at = kLocalHeaderBytes + name_bytes + static_cast<std::size_t>(field(28, 2));
  if (data_at > at.size()) return std::nullopt;
  return ZipLocalFile{text_of(at.subspan(kLocalHeaderBytes, name_bytes)), field(8, 2),
                      (field(6, 2) & 8) == 0 && field(18, 4) != kInZip64, field(18, 4), at.subspan(data_at)};
}

std::optional<Bytes> with_zip_headers(stream::Source& archive) {
  const core::WipedBytes before = whole(archive);
  Bytes all(before.begin(), before.end());
  const auto number = [&](std::size_t at, std::size_t bytes) {
    return static_cast<std::size_t>(load_little(std::span(all).subspan(at, bytes)));
  };
  const auto take = [&](std::size_t from, std::size_t to, std::size_t bytes) {
    std::ranges::copy(std::span(all).subspan(from, bytes), all.begin() + static_cast<std::ptrdiff_t>(to));
  };
  const auto require = [](bool is_right) {
    if (!is_right) throw Error(Errc::damaged, "the directory of the zip archive is damaged");
  };
  std::vector<std::size_t> entries;
  for (std::size_t at = 0; at + kDirectoryHeaderBytes <= all.size(); ++at) {
    if (!starts_with(std::span(all).subspan(at), kDirectoryHeader)) continue;
    entries.push_back(at);
    const std::size_t stored = number(at + 20, 4), name = number(at + 28, 2), header = number(at + 42, 4);
    const std::size_t name_at = header + kLocalHeaderBytes, data_at = name_at + name;
    const bool is_outside = at + kDirectoryHeaderBytes + name > all.size() || header > at || stored > at;
    require(!is_outside && data_at + stored <= at);
    const bool has_descriptor = (number(at + 8, 2) & 8) != 0;
    std::ranges::copy(bytes_in(kLocalHeader), all.begin() + static_cast<std::ptrdiff_t>(header));
    take(at + 6, header + 4, has_descriptor ? 10 : 22);  // up to the time, or to the sizes
    take(at + 28, header + 26, 2);
    take(at + kDirectoryHeaderBytes, name_at, name);
    const auto ends_well = [&](std::size_t extra) {
      const auto end = std::span(all).subspan(data_at + std::min(stored + extra, at - data_at));
      return begins_part(end) || starts_with(end, kDescriptor);
    };
    if (!ends_well(number(header + 28, 2)) && ends_well(0))
      store_little(0, std::span(all).subspan(header + 28, 2));
  }
  for (const std::size_t at : entries) {  // one may have been written over another
    const auto file = zip_local_file(std::span(all).subspan(number(at + 42, 4)));
    const auto name = std::span(all).subspan(at + kDirectoryHeaderBytes, number(at + 28, 2));
    require(file && file->name == text_of(name));
  }
  return std::ranges::equal(all, before) ? std::nullopt : std::optional(std::move(all));
}

std::vector<std::byte> with_zip_directory(stream::Source& archive) {
  const core::WipedBytes all = whole(archive);
  Bytes directory;
  std::uint64_t files = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < all.size();) {
    const auto rest = std::span<const std::byte>(all).subspan(at);
    const auto file = zip_local_file(rest);
    if (!file) {
      ++at;
      continue;
    }
    const std::size_t bytes = bytes_of_file(*file);
    add_entry(directory, rest, at, *file, bytes);
    ++files;
    at += rest.size() - file->data.size() + bytes;
    end = at;
  }
  std::array<std::byte, kEndRecordBytes> record{};
  std::ranges::copy(bytes_in(kEndRecord), record.begin());
  store_little(files, std::span(record).subspan(8, 2));
  store_little(files, std::span(record).subspan(10, 2));
  store_little(directory.size(), std::span(record).subspan(12, 4));
  store_little(end, std::span(record).subspan(16, 4));
  Bytes mended(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(end));
  append(mended, directory);
  append(mended, record);
  return mended;
}

}  // namespace fugu::format
