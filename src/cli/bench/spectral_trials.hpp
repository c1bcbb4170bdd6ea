// Trials of `fugu bench --spectral`, for cases of rows of any type of value.
#pragma once

#include <algorithm>
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

// Rows of values, and their spectra. transform() computes these at `to` on the CPU or in a device's memory,
// where `to` is a copy of `from` before.
template <class T>
struct RowCase {
  std::vector<T> input;
  std::vector<T> expected;
  std::size_t row_size = 1;

  // Seconds of one transform: the mean over the rows.
  double mean_of_rows(double seconds) const { return seconds / static_cast<double>(input.size() / row_size); }
};

template <class T, class Case>
class HostRowTrial final : public Trial {
 public:
  HostRowTrial(const Case& c, ThreadPool& pool, unsigned threads)
      : case_(c), data_(c.input.size()), pool_(pool), workers_(threads) {}

  void spoil() override { std::ranges::copy(case_.input, data_.begin()); }
  double run() override {
    return case_.mean_of_rows(
        wall_seconds([&] { case_.transform(std::span<const T>(case_.input), std::span(data_), workers_); }));
  }
  void check() override {
    require_same(std::as_bytes(std::span(case_.expected)), std::as_bytes(std::span(data_)), pool_);
  }

 private:
  const Case& case_;
  std::vector<T> data_;
  ThreadPool& pool_;
  ThreadPool workers_;
};

// In the device's own memory, timed by its events.
template <class T, class Case>
class GpuRowTrial final : public Trial {
 public:
  GpuRowTrial(const Case& c, ThreadPool& pool, int device_index)
      : case_(c),
        data_(c.input.size()),
        pool_(pool),
        context_(device_index),
        stream_(context_),
        start_(context_, device::EventKind::timing),
        stop_(context_, device::EventKind::timing),
        input_(stream_, c.input.size(), device::Contents::open),
        there_(stream_, c.input.size(), device::Contents::open),
        filler_(stream_, kBusyBytes, device::Contents::open) {
    device::copy_to_device(input_.span(), std::span<const T>(c.input), stream_);
  }

  // Only queued: while the GPU is busy with it, run() queues its launches, and the events see no latency.
  void spoil() override {
    std::ranges::fill(data_, T{});
    device::wipe(filler_.span(), stream_);
    device::copy_on_device(there_.span(), input_.span(), stream_);
  }

  double run() override {
    start_.record(stream_);
    case_.transform(device::DeviceSpan<const T>{input_.data(), input_.size()}, there_.span(), stream_);
    stop_.record(stream_);
    stop_.synchronize();
    return case_.mean_of_rows(1e-3 * static_cast<double>(device::Event::milliseconds(start_, stop_)));
  }

  void check() override {
    device::copy_to_host(std::span(data_), there_.span(), stream_);
    stream_.synchronize();
    require_same(std::as_bytes(std::span(case_.expected)), std::as_bytes(std::span(data_)), pool_);
  }

 private:
  const Case& case_;
  std::vector<T> data_;
  ThreadPool& pool_;
  device::Context context_;
  device::Stream stream_;
  device::Event start_;
  device::Event stop_;
  device::Buffer<T> input_;
  device::Buffer<T> there_;
  device::Buffer<std::byte> filler_;  // zeroed only to keep the GPU busy
};

// Samples of a case on an engine: on a CPU, by one thread and by all of them.
template <class T, class Case>
void take_rows(const Case& c, const std::string& engine, const std::string& mode, const Plan& plan,
               ThreadPool& pool, Sampler& sampler) {
  const auto take = [&](unsigned threads, const char* place, Trial&& trial) {
    sampler.take({Scope::spectral, engine, threads, mode, "forward", place, sizeof(T) * c.row_size}, trial);
  };
  if (is_gpu(engine)) return take(0, "device memory", GpuRowTrial<T, Case>(c, pool, *device_of(engine)));
  take(1, "host memory", HostRowTrial<T, Case>(c, pool, 1));
  if (plan.threads > 1) take(plan.threads, "host memory", HostRowTrial<T, Case>(c, pool, plan.threads));
}

}  // namespace fugu::cli::bench
