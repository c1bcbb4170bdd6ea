// Owners of device memory and pinned host memory, and the copies between them.
//
// Device buffers come from the context's pool in stream order: they are usable on their stream at once and
// freed there on destruction; another stream must first wait for an event. Memory with Contents::secret is
// zeroed before it returns to the pool and on wipe(). If zeroing fails, the next Stream::synchronize() on the
// context throws, and so does every later allocation there: memory that was not zeroed is never reused.
// Copies are asynchronous to the host only from and to pinned memory.
#pragma once

#include <type_traits>

#include "fugu/device/context.hpp"

namespace fugu::device {

enum class Contents : std::uint8_t { secret, open };

// Untyped memory of one device.
class Memory {
 public:
  Memory() = default;
  // Throws Error{engine} when the device is out of memory.
  FUGU_EXPORT Memory(const Stream& stream, std::size_t bytes, Contents contents);

  std::byte* data() const noexcept { return data_.get(); }
  std::size_t bytes() const noexcept { return data_ ? data_.get_deleter().bytes : 0; }

 private:
  struct Free {
    std::shared_ptr<detail::StreamState> stream;
    std::size_t bytes;
    Contents contents;
    FUGU_EXPORT void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte, Free> data_;
};

// Untyped page-locked host memory, 4096-byte aligned, wiped before it is freed.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  // Throws Error{engine} when the system cannot lock that much.
  FUGU_EXPORT PinnedMemory(const Context& context, std::size_t bytes);

  std::byte* data() const noexcept { return data_.get(); }
  std::size_t bytes() const noexcept { return data_ ? data_.get_deleter().bytes : 0; }

 private:
  struct Free {
    std::shared_ptr<detail::ContextState> context;
    std::size_t bytes;
    FUGU_EXPORT void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte, Free> data_;
};

// Page-locks memory that it does not own, for its own lifetime.
class PinnedRange {
 public:
  // Throws Error{engine} when the system cannot lock it.
  FUGU_EXPORT PinnedRange(const Context& context, std::byte* data, std::size_t bytes);

  const std::byte* data() const noexcept { return data_.get(); }

 private:
  struct Unlock {
    std::shared_ptr<detail::ContextState> context;
    std::size_t bytes;
    FUGU_EXPORT void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte, Unlock> data_;
};

// Elements in device memory: a pointer that the host must not dereference.
template <class T>
struct DeviceSpan {
  T* data = nullptr;
  std::size_t size = 0;

  DeviceSpan subspan(std::size_t offset, std::size_t count) const { return {data + offset, count}; }
  operator DeviceSpan<const T>() const { return {data, size}; }
};

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(const Stream& stream, std::size_t count, Contents contents = Contents::secret)
      : memory_(stream, count * sizeof(T), contents) {}

  T* data() const noexcept { return reinterpret_cast<T*>(memory_.data()); }
  std::size_t size() const noexcept { return memory_.bytes() / sizeof(T); }
  DeviceSpan<T> span() const noexcept { return {data(), size()}; }

 private:
  Memory memory_;
};

template <class T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedBuffer() = default;
  PinnedBuffer(const Context& context, std::size_t count) : memory_(context, count * sizeof(T)) {}

  T* data() const noexcept { return reinterpret_cast<T*>(memory_.data()); }
  std::size_t size() const noexcept { return memory_.bytes() / sizeof(T); }
  std::span<T> span() const noexcept { return {data(), size()}; }

 private:
  PinnedMemory memory_;
};

// Whether all of [data, data + bytes) lies in one page-locked allocation or registration, so that one copy
// may read or write it directly. Where the driver does not report its extent, only the first and the last
// byte are checked.
FUGU_EXPORT bool is_pinned(const Context& context, const void* data, std::size_t bytes) noexcept;

namespace detail {
FUGU_EXPORT void copy_to_device(void* to, const void* from, std::size_t bytes, const Stream& stream);
FUGU_EXPORT void copy_to_host(void* to, const void* from, std::size_t bytes, const Stream& stream);
FUGU_EXPORT void copy_on_device(void* to, const void* from, std::size_t bytes, const Stream& stream);
FUGU_EXPORT void fill_zero(void* to, std::size_t bytes, const Stream& stream);
}  // namespace detail

// Queue a copy of to.size elements on `stream`. `from` and `to` have the same size. Throw Error{engine}.
template <class T>
void copy_to_device(DeviceSpan<T> to, std::span<const std::type_identity_t<T>> from, const Stream& stream) {
  detail::copy_to_device(to.data, from.data(), from.size_bytes(), stream);
}
template <class T>
void copy_to_host(std::span<T> to, DeviceSpan<const std::type_identity_t<T>> from, const Stream& stream) {
  detail::copy_to_host(to.data(), from.data, to.size_bytes(), stream);
}
template <class T>
void copy_on_device(DeviceSpan<T> to, DeviceSpan<const std::type_identity_t<T>> from, const Stream& stream) {
  detail::copy_on_device(to.data, from.data, to.size * sizeof(T), stream);
}
// Zeroes memory in stream order.
template <class T>
void wipe(DeviceSpan<T> memory, const Stream& stream) {
  detail::fill_zero(memory.data, memory.size * sizeof(T), stream);
}

}  // namespace fugu::device
