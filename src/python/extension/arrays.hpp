// Arrays: memory of a Python object, by the buffer protocol, and in a GPU's memory.
#pragma once

#include "fugu/device/buffer.hpp"
#include "fugu/error.hpp"
#include "python/extension/bind.hpp"

namespace fugu::python {

enum class Access : bool { read, write };

// The type of an array's elements for the transforms: a truth table is a byte or a bit per value.
enum class ItemType : std::uint8_t {
  int32,
  int64,
  float32,
  float64,
  boolean,
  packed,
  uint16,
  complex64,
  complex128
};

// Keeps the object and its memory in place while it lives, even without the GIL. Created and destroyed under
// the GIL.
class HostBuffer {
 public:
  // C-contiguous memory. Throws TypeError, which says why, if the object has none, or none that is writable.
  HostBuffer(nb::handle object, Access access);
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer();

  // Throws Error{usage} for elements of another type.
  ItemType element() const;

  // The memory as bytes. Throws TypeError unless its elements are plain data: bool, numbers, bytes. Objects
  // and other addresses, text in Python's own encoding, dates, structures and what pads them are not.
  std::span<const std::byte> plain_bytes() const;

  std::span<const std::byte> bytes() const { return {data(), static_cast<std::size_t>(view_.len)}; }
  std::span<std::byte> writable_bytes() const { return {data(), static_cast<std::size_t>(view_.len)}; }

  template <class T>
  std::span<T> values() const {
    return {reinterpret_cast<T*>(data()), static_cast<std::size_t>(view_.len) / sizeof(T)};
  }

  // The number of values per row, the last dimension.
  std::size_t columns() const;

 private:
  std::byte* data() const { return static_cast<std::byte*>(view_.buf); }

  Py_buffer view_{};
};

// Calls work(T{}) with the type of the element. Throws Error{usage} for one that is not a number.
template <class Work>
decltype(auto) with_number(ItemType element, Work work) {
  switch (element) {
    case ItemType::int32:
      return work(std::int32_t{});
    case ItemType::int64:
      return work(std::int64_t{});
    case ItemType::float32:
      return work(float{});
    case ItemType::float64:
      return work(double{});
    default:
      throw Error(Errc::usage, "int32, int64, float32 or float64 is needed here");
  }
}

using Pointer = std::uintptr_t;

// C-contiguous rows in a device's memory; the package keeps their owner alive and has checked their type.
struct GpuArray {
  Pointer data;
  std::size_t values;
  std::string type;  // NumPy's name

  template <class T>
  device::DeviceSpan<T> span() const {
    return {reinterpret_cast<T*>(data), values};
  }
};

// The stream of the owner's work. CUDA's names for its default streams are handles like others.
struct Place {
  int device;
  Pointer stream;

  device::Stream adopted() const {
    return device::Stream::adopt(context_of(device), reinterpret_cast<device::StreamHandle>(stream));
  }
};

}  // namespace fugu::python
