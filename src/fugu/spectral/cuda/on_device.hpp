// Spectral work on values of the host's memory.
#pragma once

#include <span>

#include "fugu/device/buffer.hpp"

namespace fugu::spectral::cuda {

// Uploads `host`, runs work(device span) on it there, brings the result back and waits for it.
template <class T, class Work>
void on_device(std::span<T> host, const device::Stream& stream, Work work) {
  device::Buffer<T> data(stream, host.size(), device::Contents::open);
  device::copy_to_device(data.span(), host, stream);
  work(data.span());
  device::copy_to_host(host, data.span(), stream);
  stream.synchronize();
}

}  // namespace fugu::spectral::cuda
