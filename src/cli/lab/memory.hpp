// Memory for as many values as a file holds: uninitialised until read into, on huge pages.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cli/to_size.hpp"

namespace fugu::cli {

class Memory {
 public:
  Memory() = default;
  explicit Memory(std::size_t bytes) { resize(bytes); }
  Memory(Memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Memory();

  // Keeps the contents without moving a byte. Throws std::bad_alloc.
  void resize(std::size_t bytes);

  std::span<std::byte> span() { return {data_, bytes_}; }
  std::size_t size() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Values of one type in memory of any origin.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t size) : Array(Memory(to_size(std::uint64_t{size} * sizeof(T))), size) {}
  Array(Memory memory, std::size_t size) {
    auto owner = std::make_shared<Memory>(std::move(memory));
    values_ = {reinterpret_cast<T*>(owner->span().data()), size};
    owner_ = std::move(owner);
  }
  Array(std::vector<T> values) {
    auto owner = std::make_shared<std::vector<T>>(std::move(values));
    values_ = *owner;
    owner_ = std::move(owner);
  }
  Array(Array&&) noexcept = default;
  Array& operator=(Array&&) noexcept = default;

  std::span<T> span() { return values_; }
  std::span<const T> span() const { return values_; }
  std::size_t size() const { return values_.size(); }

 private:
  std::shared_ptr<void> owner_;
  std::span<T> values_;
};

}  // namespace fugu::cli
