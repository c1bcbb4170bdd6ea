// An uninitialised array as large as a transform, on huge pages if the system has them. Internal.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <span>

#include "fugu/platform/system.hpp"

namespace fugu::spectral::detail {

template <class T>
class LargeArray {
 public:
  // Throws std::bad_alloc.
  explicit LargeArray(std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<T*>(::operator new(bytes_of(size), alignment_of(size)))),
        size_(size) {
    // With pages of 4 KiB, distant rows would miss the TLB at every step.
    if (is_huge(size)) platform::use_huge_pages(data_, size * sizeof(T));
  }
  LargeArray(const LargeArray&) = delete;
  LargeArray& operator=(const LargeArray&) = delete;
  ~LargeArray() { ::operator delete(data_, alignment_of(size_)); }

  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  static constexpr std::size_t kLineBytes = 64;

  static constexpr std::size_t bytes_of(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return size * sizeof(T);
  }
  static constexpr bool is_huge(std::size_t size) { return size * sizeof(T) >= platform::kHugePageBytes; }
  static constexpr std::align_val_t alignment_of(std::size_t size) {
    return std::align_val_t{is_huge(size) ? platform::kHugePageBytes : kLineBytes};
  }

  T* data_;
  std::size_t size_;
};

}  // namespace fugu::spectral::detail
