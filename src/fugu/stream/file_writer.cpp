#include "fugu/stream/file_writer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fugu/error.hpp"
#include "fugu/stream/descriptor.hpp"
#include "fugu/stream/file_status.hpp"
#include "fugu/stream/pieces.hpp"

namespace fugu::stream {
namespace {

std::size_t bytes_into_page(std::uint64_t position) {
  static const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return static_cast<std::size_t>(position % page_bytes);
}

// Bytes of a file in memory, from a page's beginning on.
class Mapping {
 public:
  Mapping(int descriptor, std::uint64_t position, std::size_t bytes)
      : lead_bytes_(bytes_into_page(position)), bytes_(lead_bytes_ + bytes) {
    const auto offset = static_cast<off_t>(position - lead_bytes_);
    void* mapped = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, offset);
    if (mapped != MAP_FAILED) begin_ = static_cast<std::byte*>(mapped);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (begin_ != nullptr) ::munmap(begin_, bytes_);
  }

  // Where the position lies; null when the file cannot be mapped.
  std::byte* data() const noexcept { return begin_ != nullptr ? begin_ + lead_bytes_ : nullptr; }

 private:
  std::size_t lead_bytes_;  // of the page before the position
  std::size_t bytes_;
  std::byte* begin_ = nullptr;
};

// Fewer gain nothing over write(2); more only wait for each other's pages.
unsigned writers(unsigned threads) {
  constexpr unsigned kLeastThreads = 8;
  constexpr unsigned kMostWriters = 8;
  return threads < kLeastThreads ? 1 : std::min(threads / 2, kMostWriters);
}

}  // namespace

FileWriter::FileWriter(int descriptor, unsigned threads)
    : descriptor_(descriptor), writers_(is_in_memory(descriptor) ? writers(threads) : 1) {}

void FileWriter::write(std::span<const std::byte> from) {
  if (writers_ == 1 || from.size() < kLeastSharedBytes || !write_shared(from)) write_alone(from);
  position_ += from.size();
  skipped_ = false;
}

void FileWriter::skip(std::uint64_t bytes) noexcept {
  position_ += bytes;
  moved_ = true;
  skipped_ = true;
}

void FileWriter::write_alone(std::span<const std::byte> from) {
  if (moved_ && ::lseek(descriptor_, static_cast<off_t>(position_), SEEK_SET) < 0)
    throw system_error("seek failed", errno);
  moved_ = false;
  write_all(descriptor_, from);
}

// False when nothing was written: then write(2) says what is wrong, or can do what fallocate(2) or mmap(2)
// cannot.
bool FileWriter::write_shared(std::span<const std::byte> from) {
  const auto at = static_cast<off_t>(position_);
  const auto bytes = static_cast<off_t>(from.size());
  if (retry_interrupted([&] { return ::fallocate(descriptor_, 0, at, bytes); }) != 0) return false;
  const Mapping mapping(descriptor_, position_, from.size());
  if (mapping.data() == nullptr) return false;
  if (!pool_) pool_.emplace(writers_);
  for_each_piece(*pool_, from.size(), [&](std::size_t offset, std::size_t piece_bytes) {
    std::memcpy(mapping.data() + offset, from.data() + offset, piece_bytes);
  });
  moved_ = true;
  return true;
}

}  // namespace fugu::stream
