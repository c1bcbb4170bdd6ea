#include "fugu/stream/hole_writer.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "fugu/stream/file_status.hpp"

namespace fugu::stream {
namespace {

constexpr blksize_t kLeastBlockBytes = 4096;  // some file systems in user space say 0

// Almost every block of data is known by its first byte.
bool is_zero(std::span<const std::byte> block) {
  return block[0] == std::byte{0} && std::memcmp(block.data(), block.data() + 1, block.size() - 1) == 0;
}

}  // namespace

HoleWriter::HoleWriter(FileWriter& file, int descriptor)
    : file_(file),
      block_bytes_(static_cast<std::size_t>(std::max(status_of(descriptor).st_blksize, kLeastBlockBytes))) {}

void HoleWriter::write(std::span<const std::byte> from) {
  while (!from.empty()) {
    const std::size_t data = data_before_hole(from);
    if (data != 0) file_.write(from.first(data));
    from = from.subspan(data);
    for (; from.size() >= block_bytes_ && is_zero(from.first(block_bytes_));
         from = from.subspan(block_bytes_)) {
      file_.skip(block_bytes_);
    }
  }
}

// Bytes up to the first block of zeros that begins where a block of the file does.
std::size_t HoleWriter::data_before_hole(std::span<const std::byte> from) const {
  std::size_t at = static_cast<std::size_t>(file_.position() % block_bytes_);
  at = at == 0 ? 0 : block_bytes_ - at;
  for (; at + block_bytes_ <= from.size(); at += block_bytes_) {
    if (is_zero(from.subspan(at, block_bytes_))) return at;
  }
  return from.size();
}

}  // namespace fugu::stream
