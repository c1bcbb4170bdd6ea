// Arrays in GPU memory, and the stream for work on them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/device/buffer.hpp"
#include "python/extension/bind.hpp"

namespace fugu::python {

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
