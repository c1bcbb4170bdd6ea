// Memory as a source and a sink.
#include "fugu/stream/memory.hpp"

#include <algorithm>
#include <utility>

#include "fugu/core/wipe.hpp"

namespace fugu::stream {

std::size_t MemorySource::read(std::span<std::byte> into) {
  const std::size_t bytes = std::min(into.size(), bytes_.size() - at_);
  std::ranges::copy(bytes_.subspan(at_, bytes), into.begin());
  at_ += bytes;
  return bytes;
}

bool MemorySource::read_at(std::span<std::byte> into, std::uint64_t offset) {
  if (offset > bytes_.size() || into.size() > bytes_.size() - offset) return false;
  std::ranges::copy(bytes_.subspan(static_cast<std::size_t>(offset), into.size()), into.begin());
  return true;
}

void MemorySource::advance(std::uint64_t bytes) {
  at_ += static_cast<std::size_t>(std::min<std::uint64_t>(bytes, bytes_.size() - at_));
}

MemorySink::~MemorySink() {
  core::wipe(bytes_.data(), bytes_.size());
}

void MemorySink::reserve(std::size_t bytes) {
  if (bytes <= bytes_.capacity()) return;
  std::vector<std::byte> larger;
  larger.reserve(bytes);
  larger.assign(bytes_.begin(), bytes_.end());
  std::swap(bytes_, larger);
  core::wipe(larger.data(), larger.size());
}

void MemorySink::write(std::span<const std::byte> from) {
  if (from.size() > bytes_.capacity() - bytes_.size()) {
    reserve(std::max(bytes_.size() + from.size(), 2 * bytes_.capacity()));
  }
  bytes_.insert(bytes_.end(), from.begin(), from.end());
}

std::vector<std::byte> MemorySink::take() noexcept {
  return std::exchange(bytes_, {});
}

}  // namespace fugu::stream
