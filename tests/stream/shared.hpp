// The common part of the tests of transfers that several threads share.
#pragma once

#include "fugu/stream/posix/descriptor.hpp"
#include "fugu/stream/posix/detail/file_status.hpp"
#include "stream/scratch.hpp"

namespace fugu::stream {

inline constexpr unsigned kThreads = 16;
inline constexpr std::size_t kMiB = std::size_t{1} << 20;
// Some steps are shared, and some begin at the beginning of a page.
inline constexpr std::size_t kSteps[] = {9 * kMiB, 100, 3 * kMiB + 5, 4096, 5 * kMiB + 1, 4 * kMiB};

class SharedTransfer : public InScratch {
 protected:
  SharedTransfer() : InScratch(memory_directory()) {}

  void write_in_steps(OutputFile& file, std::span<const std::byte> bytes) {
    for (std::size_t i = 0; !bytes.empty(); ++i) {
      const std::size_t step = std::min(bytes.size(), kSteps[i % std::size(kSteps)]);
      file.write(bytes.first(step));
      bytes = bytes.subspan(step);
    }
  }

  // Returns whether writes are shared in this directory.
  bool in_memory() const {
    const Descriptor directory(::open(scratch_.directory().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return is_in_memory(directory.get());
  }
};

}  // namespace fugu::stream
