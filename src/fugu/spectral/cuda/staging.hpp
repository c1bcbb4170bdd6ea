// Copies between ordinary memory of the host and a device.
//
// The driver copies ordinary memory with one thread, at a fraction of the link's rate. Large copies go
// through pinned memory instead, with several threads: while one piece is transferred, the next is copied or
// read from its file.
#pragma once

#include <cstddef>
#include <span>

#include "fugu/device/buffer.hpp"
#include "fugu/export.hpp"

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

}  // namespace fugu::spectral::cuda
