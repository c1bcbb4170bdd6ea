#include "fugu/stream/detail/file_writer.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fugu/error.hpp"
#include "fugu/stream/descriptor.hpp"
#include "fugu/stream/detail/file_status.hpp"
#include "fugu/stream/detail/parts.hpp"

namespace fugu::stream {
namespace {

std::uint64_t round_down(std::uint64_t position) {
  return position / kHugePageBytes * kHugePageBytes;
}

std::uint64_t round_up(std::uint64_t position) {
  return round_down(position + kHugePageBytes - 1);
}

// One thread gains nothing: it encrypts more slowly than write(2) writes.
constexpr unsigned kLeastThreads = 2;
constexpr unsigned kMostWriters = 8;  // more wait for each other

// Taking a page takes longer than writing fewer bytes.
constexpr std::size_t kLongBytes = std::size_t{256} << 10;

// A partly used page must not take the space that the file's other pages need.
constexpr std::uint64_t kPlentyBytes = std::uint64_t{64} << 20;

bool has_plenty(int descriptor, std::uint64_t position, std::uint64_t end) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < end) return false;
  return has_room(descriptor, end - position + kPlentyBytes);
}

void write_at(int descriptor, std::span<const std::byte> from, std::uint64_t position) {
  while (!from.empty()) {
    const ssize_t put = retry_interrupted(
        [&] { return ::pwrite(descriptor, from.data(), from.size(), static_cast<off_t>(position)); });
    if (put < 0 && errno == EAGAIN) {
      wait_for(descriptor, POLLOUT);
      continue;
    }
    if (put < 0) throw system_error("write failed", errno);
    from = from.subspan(static_cast<std::size_t>(put));
    position += static_cast<std::uint64_t>(put);
  }
}

}  // namespace

FileWriter::FileWriter(int descriptor, unsigned threads)
    : FileWriter(descriptor, threads, {.all_threads = threads}) {}

FileWriter::FileWriter(int descriptor, unsigned threads, const Part& part)
    : descriptor_(descriptor),
      part_(part),
      pages_(std::make_shared<HugePages>(descriptor, part.all_threads >= kLeastThreads)),
      others_continue_(part.end != Part().end),
      pool_(std::min(threads / 2, kMostWriters)),
      position_(part.begin) {}

FileWriter::FileWriter(const FileWriter& whole, std::uint64_t begin)
    : descriptor_(whole.descriptor_),
      pages_(whole.pages_),
      others_continue_(true),
      pool_(1),
      position_(begin) {}

void FileWriter::write(Parts parts) {
  const std::size_t bytes = total_bytes(parts);
  const std::size_t in_pages = bytes_for_huge_pages(bytes);
  write_huge_pages(parts, in_pages);
  write_otherwise(parts, in_pages, bytes - in_pages);
  if (bytes != 0) skipped_ = false;
}

void FileWriter::skip(std::uint64_t bytes) noexcept {
  position_ += bytes;
  hole_end_ = position_;
  skipped_ = true;
}

// Up to the end of the last huge page that ends within this write and, if memory is plentiful, also the
// beginning of the next; none when the first would fill a hole. A long write that no page ends in takes one
// if it will be filled. A page that ends behind this part is left alone: it holds bytes of other processes.
std::size_t FileWriter::bytes_for_huge_pages(std::size_t bytes) const {
  const std::uint64_t own_end = round_down(part_.end);
  const std::uint64_t end = std::min(round_down(position_ + bytes), own_end);
  const std::uint64_t begin = round_down(position_);
  const std::uint64_t begun_end = round_up(position_ + bytes);
  const bool ends_page = end > position_;
  const bool will_fill = others_continue_ && begun_end <= own_end && bytes >= kLongBytes;
  if (!pages_->possible() || begin < hole_end_ || !(ends_page || will_fill)) return 0;
  const bool takes_begun = begun_end == end || pages_->is_taken(begun_end / kHugePageBytes - 1) ||
                           (begun_end <= own_end && has_plenty(descriptor_, position_, begun_end));
  if (takes_begun) return bytes;
  return ends_page ? static_cast<std::size_t>(end - position_) : 0;
}

void FileWriter::write_huge_pages(Parts parts, std::size_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t begin = round_down(position_);
  const std::uint64_t end = position_ + bytes;
  const auto pages = static_cast<std::size_t>((round_up(end) - begin) / kHugePageBytes);
  pool_.for_each(pages, [&](std::size_t i) {
    const std::uint64_t at = begin + i * kHugePageBytes;
    const std::uint64_t from = std::max(at, position_);
    const std::uint64_t to = std::min(at + kHugePageBytes, end);
    std::byte* const page = pages_->take(at / kHugePageBytes);
    put(page == nullptr ? nullptr : page + (from - at), from, parts, from - position_, to - from);
  });
  pages_->wrote(position_, bytes);
  position_ = end;
}

void FileWriter::write_otherwise(Parts parts, std::size_t offset, std::size_t bytes) {
  const std::uint64_t end = position_ + bytes;
  for (std::uint64_t page = position_ / kHugePageBytes; page < end / kHugePageBytes; ++page)
    pages_->leave(page);
  put(nullptr, position_, parts, offset, bytes);
  pages_->wrote(position_, bytes);
  position_ = end;
}

// Writes bytes [offset, offset + bytes) of the parts at `position` in the file, which is mapped at `mapped`
// if that is not null.
void FileWriter::put(std::byte* mapped, std::uint64_t position, Parts parts, std::size_t offset,
                     std::size_t bytes) const {
  for_each_part(parts, offset, bytes, [&](std::span<const std::byte> part) {
    if (mapped != nullptr) {
      std::memcpy(mapped, part.data(), part.size());
      mapped += part.size();
    } else {
      write_at(descriptor_, part, position);
    }
    position += part.size();
  });
}

}  // namespace fugu::stream
