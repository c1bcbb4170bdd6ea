// What `fugu bench --spectral` measures, for cases of rows of any type of value.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/bench/scopes.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/device/context.hpp"
#include "measure/bytes.hpp"

namespace fugu::cli::bench {

// Zeroing this much takes a GPU longer than the host needs to queue the launches of the smallest transforms.
inline constexpr std::size_t kBusyBytes = std::size_t{256} << 20;

// Rows of values, and their spectra. The functions compute these at `to` on the CPU or in a device's memory,
// where `to` is a copy of `from` before.
template <class T>
struct RowCase {
  std::size_t row_size = 1;
  std::vector<T> input = {};
  std::vector<T> expected = {};
  std::function<void(std::span<const T> from, std::span<T> to, ThreadPool& workers)> on_host = {};
  std::function<void(device::DeviceSpan<const T> from, device::DeviceSpan<T> to,
                     const device::Stream& stream)>
      on_device = {};

  // Seconds of one transform: the mean over the rows.
  double mean_of_rows(double seconds) const { return seconds / static_cast<double>(input.size() / row_size); }

  void require(std::span<const T> got, ThreadPool& pool) const {
    require_same(std::as_bytes(std::span(expected)), std::as_bytes(got), pool);
  }
};

// On as many threads as the row says; `pool` checks.
template <class T>
void take_on_host(const RowCase<T>& c, Row row, ThreadPool& pool, Sampler& sampler) {
  ThreadPool workers(row.threads);
  std::vector<T> data(c.input.size());
  const auto run = [&] { c.on_host(c.input, data, workers); };
  sampler.take(std::move(row), {.run = [&] { return c.mean_of_rows(wall_seconds(run)); },
                                .spoil = [&] { std::ranges::copy(c.input, data.begin()); },
                                .check = [&] { c.require(data, pool); }});
}

// In the device's own memory, timed by its events.
template <class T>
void take_on_device(const RowCase<T>& c, int device_index, Row row, ThreadPool& pool, Sampler& sampler) {
  device::Context context(device_index);
  device::Stream stream(context);
  device::Event start(context, device::EventKind::timing), stop(context, device::EventKind::timing);
  const device::Buffer<T> input(stream, c.input.size(), device::Contents::open),
      there(stream, c.input.size(), device::Contents::open);
  const device::Buffer<std::byte> filler(stream, kBusyBytes, device::Contents::open);
  std::vector<T> data(c.input.size());
  device::copy_to_device(input.span(), std::span<const T>(c.input), stream);
  // Only queued: while the GPU is busy with it, the run queues its launches, and the events see no latency.
  const auto spoil = [&] {
    std::ranges::fill(data, T{});
    device::wipe(filler.span(), stream);
    device::copy_on_device(there.span(), input.span(), stream);
  };
  const auto run = [&] {
    start.record(stream);
    c.on_device(input.span(), there.span(), stream);
    stop.record(stream);
    stop.synchronize();
    return c.mean_of_rows(1e-3 * static_cast<double>(device::Event::milliseconds(start, stop)));
  };
  const auto check = [&] {
    device::copy_to_host(std::span(data), there.span(), stream);
    stream.synchronize();
    c.require(data, pool);
  };
  sampler.take(std::move(row), {.run = run, .spoil = spoil, .check = check});
}

// Samples of a case on an engine: on a CPU, by one thread and by all of them.
template <class T>
void take_rows(const RowCase<T>& c, const std::string& engine, const std::string& mode, const Plan& plan,
               ThreadPool& pool, Sampler& sampler) {
  const auto row = [&](unsigned threads, const char* place) {
    return Row{Scope::spectral, engine, threads, mode, "forward", place, sizeof(T) * c.row_size};
  };
  if (is_gpu(engine)) return take_on_device(c, *device_of(engine), row(0, "device memory"), pool, sampler);
  take_on_host(c, row(1, "host memory"), pool, sampler);
  if (plan.threads > 1) take_on_host(c, row(plan.threads, "host memory"), pool, sampler);
}

}  // namespace fugu::cli::bench
