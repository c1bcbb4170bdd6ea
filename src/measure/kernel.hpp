// The Blowfish kernels alone, on data in GPU memory, timed by the GPU's own events.
#pragma once

#include <cstdint>
#include <optional>

#include "fugu/device/buffer.hpp"
#include "kernels/blowfish/blowfish_launch.hpp"
#include "measure/case.hpp"

namespace fugu::cli::bench {

enum class Into : std::uint8_t { output, input };  // input: in place

// Seconds of one launch between two timing events on its stream. Throws Error{engine}.
double kernel_seconds(core::Op op, const kernels::BlowfishArguments& arguments,
                      const kernels::BlowfishShape& shape, device::Stream& stream, device::Event& start,
                      device::Event& stop);

// The least time in which a device can do Blowfish's look-ups: 64 words per block (16 rounds of 4 S-boxes),
// one per clock for each of the 32 shared-memory banks of every multiprocessor, at its highest clock.
double blowfish_floor_seconds(const device::DeviceInfo& device, std::uint64_t bytes);

// Input and output in the memory of one GPU, and a key.
class KernelSession {
 public:
  // Throws Error{no_device}, or Error{engine} when the GPU has no room for 2 x `bytes`.
  KernelSession(int device_index, std::size_t bytes, const cipher::Schedule& schedule);

  const device::DeviceInfo& device() const { return context_.info(); }
  std::uint64_t bytes() const { return input_.size(); }
  kernels::BlowfishShape default_shape() const;

  // Loads the input from its beginning; it is zeros before the first call.
  void load(std::span<const std::byte> input, ThreadPool& pool);
  // Only queued: while the GPU is busy with it, run() queues its launch, and the events see no launch
  // latency.
  void zero_output();

  // Seconds of one launch over the first `bytes`. `iv` as in engine::Segment. Throws Error{engine} for a
  // shape without a kernel.
  double run(core::Op op, const kernels::BlowfishShape& shape, std::uint64_t iv, std::uint64_t bytes,
             Into into = Into::output);

  // Throws Error{mismatch} unless the output of run() begins with `expected`.
  void require(std::span<const std::byte> expected, ThreadPool& pool, Into into = Into::output);

 private:
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

// Empty for serial chains, which have no kernel.
std::optional<core::Op> kernel_op(const Work& work);

// Samples of a kernel in one shape on the case's input, which the session holds; `row` without its shape.
void take_kernel(const Case& c, KernelSession& session, const kernels::BlowfishShape& shape, ThreadPool& pool,
                 Row row, Sampler& sampler, Into into = Into::output);

}  // namespace fugu::cli::bench
