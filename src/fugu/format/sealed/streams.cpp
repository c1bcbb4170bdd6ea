#include "fugu/format/sealed/detail/streams.hpp"

#include <algorithm>
#include <vector>

#include "fugu/error.hpp"

namespace fugu::format {

void require_room(std::uint64_t bytes, std::uint64_t room) {
  if (bytes > room) throw Error(Errc::usage, "a sealed file holds at most 1 TiB");
}

GapSource::GapSource(stream::Source& plain, std::size_t segment_bytes, std::uint64_t max_bytes, bool to_end)
    : plain_(plain), segment_bytes_(segment_bytes), left_(max_bytes), to_end_(to_end) {
  require_room(plain.size_bytes().value_or(0), left_);
}

std::size_t GapSource::read(std::span<std::byte> into) {
  std::size_t filled = 0;
  while (!ended_ && into.size() - filled >= segment_bytes_ + kSegmentTagBytes) {
    const std::span<std::byte> content = into.subspan(filled, segment_bytes_);
    const std::size_t got = plain_.read(content);
    require_room(got, left_);
    left_ -= got;
    ended_ = got < segment_bytes_;
    if (ended_ && !to_end_) break;
    std::ranges::fill(into.subspan(filled + got, kSegmentTagBytes), std::byte{0});
    filled += got + kSegmentTagBytes;
  }
  return filled;
}

std::optional<std::uint64_t> GapSource::size_bytes() const {
  const std::optional<std::uint64_t> plain = plain_.size_bytes();
  if (!plain) return std::nullopt;
  const std::uint64_t full = *plain / segment_bytes_ * (segment_bytes_ + kSegmentTagBytes);
  return to_end_ ? full + *plain % segment_bytes_ + kSegmentTagBytes : full;
}

void GaplessSink::write(std::span<const std::byte> from) {
  std::vector<std::span<const std::byte>> contents;
  while (!from.empty()) {
    const std::size_t stored = std::min(stored_segment_bytes_, from.size());
    contents.push_back(from.first(stored - kSegmentTagBytes));
    from = from.subspan(stored);
  }
  inner_.write_parts(contents);
}

}  // namespace fugu::format
