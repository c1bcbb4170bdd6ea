// Large buffers, processed by all threads of a pool: preparing and checking half a gigabyte must not take
// longer than measuring it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "fugu/threads/thread_pool.hpp"

namespace fugu::cli::bench {

using threads::ThreadPool;

// Memory without secrets: neither zeroed nor wiped.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::size_t size) : data_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}

  std::size_t size() const { return size_; }
  std::span<std::byte> first(std::size_t count) { return std::span(data_.get(), size_).first(count); }
  std::span<std::byte> span() { return first(size_); }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
};

// Throws Error{io} when the system has no randomness.
void fill_random(std::span<std::byte> out, ThreadPool& pool);

// Both have the same size.
void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to, ThreadPool& pool);

// Throws Error{mismatch} naming the first byte that differs.
void require_same(std::span<const std::byte> expected, std::span<const std::byte> got, ThreadPool& pool);

}  // namespace fugu::cli::bench
