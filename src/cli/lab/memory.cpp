// Anonymous mappings: they grow without a copy, and the kernel backs them with huge pages.
#include "cli/lab/memory.hpp"

#include <sys/mman.h>

#include <new>

namespace fugu::cli {

Memory::~Memory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

void Memory::resize(std::size_t bytes) {
  if (bytes == bytes_ || bytes == 0) return;
  void* const mapped =
      data_ == nullptr ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                       : ::mremap(data_, bytes_, bytes, MREMAP_MAYMOVE);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(mapped);
  bytes_ = bytes;
#if defined(MADV_HUGEPAGE)
  ::madvise(data_, bytes_, MADV_HUGEPAGE);
#endif
}

}  // namespace fugu::cli
