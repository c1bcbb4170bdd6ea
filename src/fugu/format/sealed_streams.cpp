#include "fugu/format/sealed_streams.hpp"

#include <array>

#include "fugu/error.hpp"

namespace fugu::format {

std::size_t GapSource::read(std::span<std::byte> into) {
  const std::size_t stored = segment_bytes_ + kSegmentTagBytes;
  std::size_t filled = 0;
  while (!ended_ && into.size() - filled >= stored) {
    const std::size_t got = plain_.read(into.subspan(filled, segment_bytes_));
    if (got > left_) throw Error(Errc::usage, "a sealed file holds at most 1 TiB");
    left_ -= got;
    ended_ = got < segment_bytes_;
    filled += got;
    std::ranges::fill(into.subspan(filled, kSegmentTagBytes), std::byte{0});
    filled += kSegmentTagBytes;
  }
  return filled;
}

void GaplessSink::write(std::span<const std::byte> from) {
  while (!from.empty()) {
    const std::size_t stored = std::min(stored_segment_bytes_, from.size());
    std::span<const std::byte> content = from.first(stored - kSegmentTagBytes);
    from = from.subspan(stored);
    const auto skipped = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, content.size()));
    skip_ -= skipped;
    content = content.subspan(skipped);
    content = content.first(static_cast<std::size_t>(std::min<std::uint64_t>(left_, content.size())));
    left_ -= content.size();
    if (!content.empty()) plain_.write(content);
  }
}

std::size_t PartSource::read(std::span<std::byte> into) {
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), end_ - offset_)));
  if (into.empty()) return 0;
  if (!whole_.read_at(into, offset_)) throw Error(Errc::io, "became shorter while it was read");
  offset_ += into.size();
  return into.size();
}

}  // namespace fugu::format
