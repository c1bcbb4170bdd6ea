#include "fugu/stream/posix/detail/file_writer.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "fugu/error.hpp"
#include "fugu/stream/posix/descriptor.hpp"
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

}  // namespace fugu::stream
