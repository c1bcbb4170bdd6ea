// Times by a GPU's own events: the Blowfish kernels alone, on data in its memory, and the link to host
// memory, which bounds every figure of the copy scope.
#pragma once

#include "fugu/device/buffer.hpp"
#include "kernels/blowfish/blowfish_launch.hpp"
#include "measure/case.hpp"

namespace fugu::cli::bench {

// Seconds of one launch between two timing events on its stream. Throws Error{engine}.
double kernel_seconds(core::Op op, const kernels::BlowfishArguments& arguments,
                      const kernels::BlowfishShape& shape, device::Stream& stream, device::Event& start,
                      device::Event& stop);

// The least time in which a device can do Blowfish's look-ups: 64 words per block (16 rounds of 4 S-boxes),
// one per clock for each of the 32 shared-memory banks of every multiprocessor, at its highest clock.
double blowfish_floor_seconds(const device::DeviceInfo& device, std::uint64_t bytes);

// The shape that a GPU's engine uses unless it is told otherwise.
kernels::BlowfishShape default_shape(const device::DeviceInfo& device);

// Input and output in the memory of one GPU, and a key.
class KernelSession {
 public:
  // Throws Error{no_device}, or Error{engine} when the GPU has no room for 2 x `bytes`.
  KernelSession(int device_index, std::size_t bytes, const cipher::Schedule& schedule);

  const device::DeviceInfo& device() const { return context_.info(); }
  std::uint64_t bytes() const { return input_.size(); }

  // Loads the input from its beginning; it is zeros before the first call.
  void load(std::span<const std::byte> input, ThreadPool& pool);

  // Samples of one shape on the case's input, which is loaded; `row` without the shape. Serial chains have no
  // kernel. Throws Error{engine} for a shape without a kernel, and as take_samples().
  void take(const Case& c, const kernels::BlowfishShape& shape, ThreadPool& pool, Row row, Sampler& sampler);

 private:
  double run(const Case& c, const kernels::BlowfishShape& shape);
  void require(std::span<const std::byte> expected, ThreadPool& pool);

  device::Context context_;
  device::Stream stream_;
  device::Event start_;
  device::Event stop_;
  device::Buffer<std::byte> input_;
  device::Buffer<std::byte> output_;
  device::Buffer<std::uint32_t> schedule_;
  device::Buffer<std::uint64_t> chain_;  // one entry per thread-block
  device::PinnedBuffer<std::byte> staging_;
};

// Copies between pinned host memory and one GPU: one row per direction, and one of both at once. No cipher,
// so there is no output to check.
std::vector<Row> measure_link(int device_index, int runs);

// Bytes per second of the fastest sample in one direction.
double fastest_way(const std::vector<Row>& link);

// The least time in which `bytes` cross a link that has carried `fastest_bytes_per_second` in one direction.
// Since that is also a measurement, 5 % are allowed for its error.
double link_floor_seconds(double fastest_bytes_per_second, std::uint64_t bytes);

}  // namespace fugu::cli::bench
