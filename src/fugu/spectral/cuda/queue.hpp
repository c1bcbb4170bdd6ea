// Where spectral work on a GPU goes: a stream, and the context that knows the device it is on.
#pragma once

#include "fugu/device/buffer.hpp"

namespace fugu::spectral::cuda {

struct Queue {
  const device::Context& context;
  device::Stream& stream;
};

// Uploads `host`, runs work(device span) on it there, brings the result back and waits for it.
template <class T, class Work>
void on_device(std::span<T> host, const Queue& queue, Work work) {
  device::Buffer<T> data(queue.stream, host.size(), device::Contents::open);
  device::copy_to_device(data.span(), host, queue.stream);
  work(data.span());
  device::copy_to_host(host, data.span(), queue.stream);
  queue.stream.synchronize();
}

}  // namespace fugu::spectral::cuda
