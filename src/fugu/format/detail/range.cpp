#include "fugu/format/detail/range.hpp"

#include <algorithm>
#include <string_view>

#include "fugu/error.hpp"

namespace fugu::format {

std::optional<Range> range_of(const OptionValues& options) {
  const std::optional<std::string> text = options.text(kRangeRow.name);
  if (!text) return std::nullopt;
  const std::size_t colon = std::min(text->find(':'), text->size());
  const std::string_view length = std::string_view(*text).substr(std::min(colon + 1, text->size()));
  const auto first = parse_size(std::string_view(*text).substr(0, colon));
  const auto count = parse_size(length);
  if (colon == text->size() || !first || (!count && !length.empty()))
    throw Error(Errc::usage, "⟦range⟧ takes OFF:LEN or OFF:, sizes such as 4096, 64K or 1GiB");
  return Range{*first, count};
}

void check_range(const OptionValues& options, OptionUse) {
  static_cast<void>(range_of(options));
}

std::uint64_t file_bytes(const stream::Source& source) {
  const std::optional<std::uint64_t> bytes = source.size_bytes();
  if (!bytes) throw Error(Errc::usage, "is not a regular file: it cannot be worked on in parts");
  return *bytes;
}

std::uint64_t seekable_bytes(stream::Source& source) {
  const std::optional<std::uint64_t> bytes = source.size_bytes();
  std::byte probe{};
  if (!bytes || !source.read_at({&probe, 1}, 0))
    throw Error(Errc::usage, "a range needs a file that can be read at any place, not a pipe");
  return *bytes;
}

std::size_t PartSource::read(std::span<std::byte> into) {
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), end_ - offset_)));
  if (into.empty()) return 0;
  if (!whole_.read_at(into, offset_)) throw Error(Errc::io, "became shorter while it was read");
  offset_ += into.size();
  return into.size();
}

std::size_t RestSource::read(std::span<std::byte> into) {
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), length_ - at_)));
  if (into.empty()) return 0;
  const std::size_t bytes = whole_.read(into);
  at_ += bytes;
  return bytes;
}

std::optional<std::uint64_t> RestSource::size_bytes() const {
  const std::optional<std::uint64_t> whole = whole_.size_bytes();
  if (!whole) return std::nullopt;
  return std::min(*whole - std::min(*whole, begin_), length_);
}

void RestSource::advance(std::uint64_t bytes) {
  whole_.advance(bytes);
  at_ += bytes;
}

}  // namespace fugu::format
