// Runs spectral work on host memory through the device.
#pragma once

#include <type_traits>

#include "fugu/spectral/cuda/staging.hpp"
#include "fugu/spectral/exactness.hpp"
#include "fugu/spectral/overflow.hpp"

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

// The same for floats whose results and sums on the way are less than 2^growth times the largest |x|: throws
// Error{usage} when they overflow, unless one of `in` is not finite. Device work leaves no trace of that.
template <class T, class Work>
void on_device_within_range(std::span<const std::type_identity_t<T>> in, std::span<T> out, int growth,
                            const device::Stream& stream, Work work) {
  bool may_exceed = false;
  if constexpr (std::is_floating_point_v<T>) may_exceed = float_range(in).template may_exceed<T>(growth);
  on_device(in, out, stream, work);
  if constexpr (std::is_floating_point_v<T>) {
    if (may_exceed) require_finite(std::span<const T>(out));
  }
}

// on_device() in place.
template <class T, class Work>
void on_device(std::span<T> values, const device::Stream& stream, Work work) {
  on_device(std::span<const T>(values), values, stream, work);
}

}  // namespace fugu::spectral::cuda
