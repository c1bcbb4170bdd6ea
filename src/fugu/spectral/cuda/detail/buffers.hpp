// Copies values to new device memory, and back. Internal.
#pragma once

#include <vector>

#include "fugu/spectral/cuda/staging.hpp"

namespace fugu::spectral::cuda {

// Blocks until the copy is done.
template <class T>
device::Buffer<T> filled(std::span<const T> values, const device::Stream& stream) {
  device::Buffer<T> buffer(stream, values.size(), device::Contents::open);
  upload(buffer.span(), values, stream);
  return buffer;
}
template <class T>
device::Buffer<T> filled(const std::vector<T>& values, const device::Stream& stream) {
  return filled(std::span<const T>(values), stream);
}

template <class T>
device::Buffer<T> zeros(std::size_t count, const device::Stream& stream) {
  device::Buffer<T> buffer(stream, count, device::Contents::open);
  device::wipe(buffer.span(), stream);
  return buffer;
}

// Blocks until the copy is done.
template <class T>
std::vector<T> values_of(device::DeviceSpan<const T> span, const device::Stream& stream) {
  std::vector<T> values(span.size);
  download(std::span(values), span, stream);
  return values;
}
template <class T>
std::vector<T> values_of(const device::Buffer<T>& buffer, const device::Stream& stream) {
  return values_of(device::DeviceSpan<const T>(buffer.span()), stream);
}

}  // namespace fugu::spectral::cuda
