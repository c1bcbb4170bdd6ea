#include "fugu/stream/posix/detail/file_writer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "fugu/stream/posix/descriptor.hpp"
#include "fugu/stream/posix/detail/file_status.hpp"
#include "fugu/stream/posix/temporaries.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // glibc before 2.35
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25  // glibc before 2.37
#endif

namespace fugu::stream {
namespace {

constexpr std::size_t kPageBytes = std::size_t{2} << 20;  // on processors with 4 KiB pages

// A huge page for less would make sparse files dense.
constexpr std::size_t kMinBytes = std::size_t{64} << 10;

constexpr blksize_t kMinBlockBytes = 4096;  // some FUSE file systems report 0

// Almost every block of data is recognised by its first byte.
bool is_zero(std::span<const std::byte> block) {
  return block[0] == std::byte{0} && std::memcmp(block.data(), block.data() + 1, block.size() - 1) == 0;
}

}  // namespace

void FileWriter::set_holes(bool leaves_holes) {
  const blksize_t block = leaves_holes ? std::max(status_of(descriptor_).st_blksize, kMinBlockBytes) : 0;
  block_bytes_ = static_cast<std::size_t>(block);
}

void FileWriter::write(Parts parts) {
  for (std::span<const std::byte> from : parts) {
    while (!from.empty()) {
      const std::size_t data_bytes = data_before_hole(from);
      write_data(from.first(data_bytes));
      from = from.subspan(data_bytes);
      const std::size_t hole_bytes = zeros(from);
      if (hole_bytes != 0) skip(hole_bytes);
      from = from.subspan(hole_bytes);
    }
  }
}

void FileWriter::write_data(std::span<const std::byte> from) {
  if (from.empty()) return;
  skipped_ = false;
  if (pages_ != nullptr && pages_->write(position_, from)) {
    position_ += from.size();
    return;
  }
  while (!from.empty()) {
    const ssize_t put = retry_interrupted(
        [&] { return ::pwrite(descriptor_, from.data(), from.size(), static_cast<off_t>(position_)); });
    if (put >= 0) {
      from = from.subspan(static_cast<std::size_t>(put));
      position_ += static_cast<std::uint64_t>(put);
    } else if (errno == EAGAIN) {
      wait_for(descriptor_, POLLOUT);
    } else {
      throw system_error("write failed", errno);
    }
  }
}

void FileWriter::skip(std::uint64_t bytes) noexcept {
  position_ += bytes;
  skipped_ = true;
}

// The number of bytes in whole blocks of zeros at the beginning of `from`.
std::size_t FileWriter::zeros(std::span<const std::byte> from) const {
  std::size_t bytes = 0;
  while (leaves_holes() && bytes + block_bytes_ <= from.size() && is_zero(from.subspan(bytes, block_bytes_)))
    bytes += block_bytes_;
  return bytes;
}

// The number of bytes before the first block of zeros that is aligned in the file.
std::size_t FileWriter::data_before_hole(std::span<const std::byte> from) const {
  if (!leaves_holes()) return from.size();
  auto at = static_cast<std::size_t>(position_ % block_bytes_);
  at = at == 0 ? 0 : block_bytes_ - at;
  for (; at + block_bytes_ <= from.size(); at += block_bytes_)
    if (is_zero(from.subspan(at, block_bytes_))) return at;
  return from.size();
}

HugePages::HugePages(int descriptor, std::uint64_t end) : descriptor_(descriptor), count_(end / kPageBytes) {
  const auto bytes = static_cast<std::size_t>(count_ * kPageBytes);
  // Extends the file, and never cuts what another process has written.
  if (count_ == 0 || ::fallocate(descriptor, 0, static_cast<off_t>(end) - 1, 1) != 0) return;
  void* const reserved =
      ::mmap(nullptr, bytes + kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return;
  reserved_ = static_cast<std::byte*>(reserved);
  void* const aligned = reserved_ + (kPageBytes - reinterpret_cast<std::uintptr_t>(reserved) % kPageBytes);
  if (::mmap(aligned, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0) == MAP_FAILED)
    return;
  mapped_ = static_cast<std::byte*>(aligned);
  pages_ = std::make_unique<Page[]>(static_cast<std::size_t>(count_));
}

HugePages::~HugePages() {
  if (reserved_ != nullptr) ::munmap(reserved_, static_cast<std::size_t>((count_ + 1) * kPageBytes));
}

bool HugePages::write(std::uint64_t position, std::span<const std::byte> from) {
  const std::uint64_t end = position + from.size();
  if (mapped_ == nullptr || from.size() < kMinBytes || end > count_ * kPageBytes) return false;
  for (std::uint64_t at = position; at < end; at = (at / kPageBytes + 1) * kPageBytes)
    if (!take(at)) return false;
  std::memcpy(mapped_ + position, from.data(), from.size());
  return true;
}

// The first call for a page writes a byte at the position, which the caller then writes in either way, and
// has the page collapsed around it.
bool HugePages::take(std::uint64_t position) {
  const std::uint64_t page = position / kPageBytes;
  Page& one = pages_[static_cast<std::size_t>(page)];
  std::call_once(one.tried, [&] {
    constexpr std::byte kAny{0};
    std::byte* const begin = mapped_ + page * kPageBytes;
    one.is_taken = retry_interrupted(
                       [&] { return ::pwrite(descriptor_, &kAny, 1, static_cast<off_t>(position)); }) == 1 &&
                   ::madvise(begin, kPageBytes, MADV_COLLAPSE) == 0 &&
                   ::madvise(begin, kPageBytes, MADV_POPULATE_WRITE) == 0;
  });
  return one.is_taken;
}

OutputPart::OutputPart(int descriptor, std::uint64_t begin, std::uint64_t end)
    : in_memory_(stream::is_in_memory(descriptor)) {
  if (in_memory_ && end != 0) pages_ = std::make_unique<HugePages>(descriptor, end);
  file_ = std::make_unique<FileWriter>(descriptor, begin, pages_.get());
}

OutputPart::~OutputPart() = default;

void OutputPart::write(std::span<const std::byte> from) {
  write_parts({&from, 1});
}

void OutputPart::write_parts(std::span<const std::span<const std::byte>> parts) {
  file_->write(parts);
}

}  // namespace fugu::stream
