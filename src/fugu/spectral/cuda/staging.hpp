// Copies between ordinary memory of the host and a device.
//
// The driver copies ordinary memory with one thread, at a fraction of the link's rate. Large copies go
// through pinned memory instead, with several threads: while one piece is transferred, the next is copied or
// read from its file.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "fugu/device/buffer.hpp"
#include "fugu/export.hpp"
#include "fugu/spectral/exactness.hpp"
#include "fugu/spectral/overflow.hpp"

namespace fugu::spectral::cuda {

// upload() and download() below call these. Both block until the copy is done and throw Error{engine}.
FUGU_EXPORT void upload_bytes(device::DeviceSpan<std::byte> to, const std::byte* from,
                              const device::Stream& stream);
FUGU_EXPORT void download_bytes(std::byte* to, device::DeviceSpan<const std::byte> from,
                                const device::Stream& stream);

// Copies from.size() = to.size values. `from` may be reused on return; work queued on `stream` afterwards
// finds the values. Throws Error{engine}.
template <class T>
void upload(device::DeviceSpan<T> to, std::span<const std::type_identity_t<T>> from,
            const device::Stream& stream) {
  upload_bytes({reinterpret_cast<std::byte*>(to.data), to.size * sizeof(T)},
               reinterpret_cast<const std::byte*>(from.data()), stream);
}

// Copies to.size() = from.size values once the work queued on `stream` is done, and waits for them. Throws
// Error{engine}.
template <class T>
void download(std::span<T> to, device::DeviceSpan<const std::type_identity_t<T>> from,
              const device::Stream& stream) {
  download_bytes(reinterpret_cast<std::byte*>(to.data()),
                 {reinterpret_cast<const std::byte*>(from.data), from.size * sizeof(T)}, stream);
}

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
