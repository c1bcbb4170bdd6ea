#include "fugu/stream/posix/detail/file_writer.hpp"

#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <vector>

#include "fugu/stream/posix/descriptor.hpp"
#include "fugu/stream/posix/detail/file_status.hpp"
#include "fugu/stream/posix/detail/huge_pages.hpp"

namespace fugu::stream {

void FileWriter::write(Parts parts) {
  for (std::span<const std::byte> part : parts) {
    if (pages_ != nullptr && pages_->write(position_, part)) {
      position_ += part.size();
      skipped_ = false;
      continue;
    }
    while (!part.empty()) {
      const ssize_t put = retry_interrupted(
          [&] { return ::pwrite(descriptor_, part.data(), part.size(), static_cast<off_t>(position_)); });
      if (put < 0 && errno != EAGAIN) throw system_error("write failed", errno);
      if (put < 0) {
        wait_for(descriptor_, POLLOUT);
        continue;
      }
      part = part.subspan(static_cast<std::size_t>(put));
      position_ += static_cast<std::uint64_t>(put);
      skipped_ = false;
    }
  }
}

void FileWriter::skip(std::uint64_t bytes) noexcept {
  position_ += bytes;
  skipped_ = true;
}

namespace {

constexpr blksize_t kMinBlockBytes = 4096;  // some FUSE file systems report 0

// Almost every block of data is recognised by its first byte.
bool is_zero(std::span<const std::byte> block) {
  return block[0] == std::byte{0} && std::memcmp(block.data(), block.data() + 1, block.size() - 1) == 0;
}

}  // namespace

HoleWriter::HoleWriter(FileWriter& file, int descriptor)
    : file_(file),
      block_bytes_(static_cast<std::size_t>(std::max(status_of(descriptor).st_blksize, kMinBlockBytes))) {}

void HoleWriter::write(FileWriter::Parts parts) {
  std::vector<std::span<const std::byte>> data;  // up to the next hole
  std::uint64_t position = file_.position();
  for (std::span<const std::byte> from : parts) {
    while (!from.empty()) {
      const std::size_t data_bytes = data_before_hole(position, from);
      if (data_bytes != 0) data.push_back(from.first(data_bytes));
      from = from.subspan(data_bytes);
      const std::size_t hole_bytes = zeros(from);
      from = from.subspan(hole_bytes);
      position += data_bytes + hole_bytes;
      if (hole_bytes == 0) continue;
      file_.write(data);
      data.clear();
      file_.skip(hole_bytes);
    }
  }
  file_.write(data);
}

// The number of bytes in whole blocks of zeros at the beginning of `from`.
std::size_t HoleWriter::zeros(std::span<const std::byte> from) const {
  std::size_t bytes = 0;
  while (bytes + block_bytes_ <= from.size() && is_zero(from.subspan(bytes, block_bytes_)))
    bytes += block_bytes_;
  return bytes;
}

// The number of bytes before the first block of zeros that is aligned in the file; from[0] is at `position`.
std::size_t HoleWriter::data_before_hole(std::uint64_t position, std::span<const std::byte> from) const {
  auto at = static_cast<std::size_t>(position % block_bytes_);
  at = at == 0 ? 0 : block_bytes_ - at;
  for (; at + block_bytes_ <= from.size(); at += block_bytes_) {
    if (is_zero(from.subspan(at, block_bytes_))) return at;
  }
  return from.size();
}

}  // namespace fugu::stream
