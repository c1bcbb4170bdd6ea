// Runs spectral work on host memory through the device.
#pragma once

#include <span>
#include <type_traits>

#include "fugu/device/buffer.hpp"
#include "fugu/spectral/cuda/staging.hpp"

namespace fugu::spectral::cuda {

// Uploads `in`, runs work(device span) on it, copies the result to `out`, which has the same size and may be
// the same memory, and blocks until done.
template <class T, class Work>
void on_device(std::span<const std::type_identity_t<T>> in, std::span<T> out, const device::Stream& stream,
               Work work) {
  device::Buffer<T> data(stream, in.size(), device::Contents::open);
  upload(data.span(), in, stream);
  work(data.span());
  download(out, data.span(), stream);
}

// The same in place.
template <class T, class Work>
void on_device(std::span<T> values, const device::Stream& stream, Work work) {
  on_device(std::span<const T>(values), values, stream, work);
}

}  // namespace fugu::spectral::cuda
