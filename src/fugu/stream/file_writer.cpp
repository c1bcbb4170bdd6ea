#include "fugu/stream/detail/file_writer.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "fugu/error.hpp"
#include "fugu/stream/descriptor.hpp"
#include "fugu/stream/detail/file_status.hpp"
#include "fugu/stream/detail/parts.hpp"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25  // glibc before 2.37
#endif

namespace fugu::stream {
namespace {

constexpr int kPageBytes = 4096;
// The size on processors with 4 KiB pages.
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

std::uint64_t round_down(std::uint64_t position) {
  return position / kHugePageBytes * kHugePageBytes;
}

std::uint64_t round_up(std::uint64_t position) {
  return round_down(position + kHugePageBytes - 1);
}

bool has_huge_pages(int descriptor) {
  return ::sysconf(_SC_PAGESIZE) == long{kPageBytes} && is_in_memory(descriptor);
}

// An emulator may accept the advice and ignore it; a missing page ends the process if its file system is
// full.
bool is_there(std::byte* huge_page) {
  std::array<unsigned char, kHugePageBytes / kPageBytes> pages;
  return ::mincore(huge_page, kHugePageBytes, pages.data()) == 0 &&
         std::ranges::all_of(pages, [](unsigned char page) { return (page & 1U) != 0; });
}

// One thread gains nothing: it encrypts more slowly than write(2) writes.
constexpr unsigned kLeastThreads = 2;
constexpr unsigned kMostWriters = 8;  // more wait for each other

// Mapping a page takes longer than writing fewer bytes.
constexpr std::size_t kLongBytes = std::size_t{256} << 10;

// A partly used page must not take the space that the file's other pages need.
constexpr std::uint64_t kPlentyBytes = std::uint64_t{64} << 20;

bool has_plenty(int descriptor, std::uint64_t position, std::uint64_t end) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < end) return false;
  return has_room(descriptor, end - position + kPlentyBytes);
}

// Huge pages of a file, mapped at a multiple of their size.
class Mapping {
 public:
  Mapping(int descriptor, std::uint64_t position, std::size_t bytes)
      : reserved_bytes_(bytes + kHugePageBytes) {
    void* reserved = ::mmap(nullptr, reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (reserved == MAP_FAILED) return;
    reserved_ = static_cast<std::byte*>(reserved);
    std::byte* aligned =
        reserved_ + (kHugePageBytes - reinterpret_cast<std::uintptr_t>(reserved_) % kHugePageBytes);
    void* mapped = ::mmap(aligned, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor,
                          static_cast<off_t>(position));
    if (mapped != MAP_FAILED) data_ = aligned;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (reserved_ != nullptr) ::munmap(reserved_, reserved_bytes_);
  }

  // Null when the file cannot be mapped.
  std::byte* data() const noexcept { return data_; }

 private:
  std::size_t reserved_bytes_;
  std::byte* reserved_ = nullptr;
  std::byte* data_ = nullptr;
};

bool write_at(int descriptor, std::span<const std::byte> from, std::uint64_t position) {
  while (!from.empty()) {
    const ssize_t put = retry_interrupted(
        [&] { return ::pwrite(descriptor, from.data(), from.size(), static_cast<off_t>(position)); });
    if (put < 0) return false;
    from = from.subspan(static_cast<std::size_t>(put));
    position += static_cast<std::uint64_t>(put);
  }
  return true;
}

}  // namespace

FileWriter::FileWriter(int descriptor, unsigned threads)
    : FileWriter(descriptor, threads, {.all_threads = threads}) {}

FileWriter::FileWriter(int descriptor, unsigned threads, const Part& part)
    : descriptor_(descriptor),
      part_(part),
      huge_pages_(part.all_threads >= kLeastThreads && has_huge_pages(descriptor)),
      pool_(std::min(threads / 2, kMostWriters)),
      position_(part.begin),
      moved_(part.begin != 0) {}

void FileWriter::write(Parts parts) {
  const std::size_t bytes = total_bytes(parts);
  if (bytes == 0) return;
  std::size_t written = bytes_for_huge_pages(bytes);
  if (written != 0 && !write_huge_pages(parts, written)) written = 0;
  if (written != bytes) write_in_order(parts, written, bytes - written);
  skipped_ = false;
}

void FileWriter::skip(std::uint64_t bytes) noexcept {
  position_ += bytes;
  hole_end_ = position_;
  moved_ = true;
  skipped_ = true;
}

void FileWriter::write_in_order(Parts parts, std::size_t offset, std::size_t bytes) {
  if (moved_ && ::lseek(descriptor_, static_cast<off_t>(position_), SEEK_SET) < 0)
    throw system_error("seek failed", errno);
  moved_ = false;
  for_each_part(parts, offset, bytes,
                [this](std::span<const std::byte> part) { write_all(descriptor_, part); });
  position_ += bytes;
}

// Up to the end of the last huge page that ends within this write and, if memory is plentiful, also the
// beginning of the next; none when the first would fill a hole. A long write that no page ends in takes one
// if this part will fill it. A page that ends behind this part is left alone: it holds bytes of others.
std::size_t FileWriter::bytes_for_huge_pages(std::size_t bytes) const {
  const std::uint64_t own_end = round_down(part_.end);
  const std::uint64_t end = std::min(round_down(position_ + bytes), own_end);
  const std::uint64_t begin = round_down(position_);
  const std::uint64_t begun_end = round_up(position_ + bytes);
  const bool ends_page = end > position_;
  const bool will_fill = part_.end != Part().end && begun_end <= own_end && bytes >= kLongBytes;
  if (!huge_pages_ || begin < hole_end_ || !(ends_page || will_fill)) return 0;
  if (begun_end <= own_end && has_plenty(descriptor_, position_, begun_end)) return bytes;
  return ends_page ? static_cast<std::size_t>(end - position_) : 0;
}

// False when nothing was written because the file cannot be mapped.
bool FileWriter::write_huge_pages(Parts parts, std::size_t bytes) {
  const std::uint64_t begin = round_down(position_);
  const auto lead_bytes = static_cast<std::size_t>(position_ - begin);
  const auto mapped_bytes = static_cast<std::size_t>(round_up(position_ + bytes) - begin);
  const Mapping mapping(descriptor_, begin, mapped_bytes);
  if (mapping.data() == nullptr) return false;
  const std::size_t pages = mapped_bytes / kHugePageBytes;
  const bool first_is_gathered = begin < gathered_end_;
  bool last_is_gathered = false;
  pool_.for_each(pages, [&](std::size_t i) {
    const std::size_t at = i * kHugePageBytes;
    const std::size_t from = std::max(at, lead_bytes);
    const std::size_t to = std::min(at + kHugePageBytes, lead_bytes + bytes);
    const bool gathered = (i == 0 && first_is_gathered) || gather(mapping.data() + at, begin + at);
    if (i + 1 == pages) last_is_gathered = gathered;
    put(gathered ? mapping.data() + from : nullptr, begin + from, parts, from - lead_bytes, to - from);
  });
  position_ += bytes;
  reached_ = begin + mapped_bytes;
  gathered_end_ = last_is_gathered ? reached_ : 0;
  moved_ = true;
  return true;
}

// Writes bytes [offset, offset + bytes) of the parts at `position` in the file, which is mapped at `mapped`
// if that is not null.
void FileWriter::put(std::byte* mapped, std::uint64_t position, Parts parts, std::size_t offset,
                     std::size_t bytes) const {
  for_each_part(parts, offset, bytes, [&](std::span<const std::byte> part) {
    if (mapped != nullptr) {
      std::memcpy(mapped, part.data(), part.size());
      mapped += part.size();
    } else if (!write_at(descriptor_, part, position)) {
      throw system_error("write failed", errno);
    }
    position += part.size();
  });
}

// Extends the file to hold the page at `position`, mapped at `huge_page`, and has it collapsed. False when
// that failed, even in part.
bool FileWriter::gather(std::byte* huge_page, std::uint64_t position) {
  constexpr std::byte kZero{0};
  if (!huge_pages_ || !write_at(descriptor_, {&kZero, 1}, position + kHugePageBytes - 1)) return false;
  const bool taken = ::madvise(huge_page, kHugePageBytes, MADV_COLLAPSE) == 0;
  if (taken && is_there(huge_page)) return true;
  if (taken || errno != EAGAIN) huge_pages_ = false;  // only a page in use right now is left alone
  return false;
}

}  // namespace fugu::stream
