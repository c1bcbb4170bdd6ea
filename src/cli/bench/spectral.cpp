// fugu bench --spectral: rows of random 32-bit integers, in place and modulo 2^32.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cli/bench/plan.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/walsh.hpp"
#include "measure/case.hpp"

namespace fugu::cli::bench {
namespace {

using Value = std::int32_t;

// Small transforms are timed in batches of at least this size, one call per row: otherwise the clock's
// resolution would show.
constexpr std::size_t kLeastValues = 8192;

// Zeroing this much takes a GPU longer than the host needs to queue the launches of the smallest transforms.
constexpr std::size_t kBusyBytes = std::size_t{256} << 20;

// W(a) = sum of (-1)^popcount(a & x) f(x), by definition.
std::uint32_t coefficient(std::span<const Value> f, std::size_t a) {
  std::uint32_t sum = 0;
  for (std::size_t x = 0; x < f.size(); ++x) {
    const auto value = static_cast<std::uint32_t>(f[x]);
    sum += std::popcount(a & x) % 2 == 0 ? value : 0 - value;
  }
  return sum;
}

// Rows of 2^n values, and their spectra.
class RowCase {
 public:
  RowCase(int n, ThreadPool& pool) : n_(n), pool_(pool), input_(std::max(kLeastValues, row_size())) {
    fill_random(std::as_writable_bytes(std::span(input_)), pool);
    expected_ = input_;
    spectral::walsh(std::span(expected_), n, {.threads = pool.threads()});
    check_against_definition();
  }

  Row row(const std::string& engine, unsigned threads, const char* place) const {
    return {Scope::spectral, engine, threads, "walsh int32", "forward", place, sizeof(Value) * row_size()};
  }

  void take_on_host(Row row, Sampler& sampler) const {
    ThreadPool workers(row.threads);
    std::vector<Value> data(input_.size());
    const auto run = [&] {
      for (std::size_t at = 0; at < data.size(); at += row_size())
        spectral::walsh(std::span(data).subspan(at, row_size()), n_, {.pool = &workers});
    };
    sampler.take(std::move(row), {.run = [&] { return mean_of_rows(wall_seconds(run)); },
                                  .spoil = [&] { std::ranges::copy(input_, data.begin()); },
                                  .check = [&] { require(data); }});
  }

  // In the device's own memory, timed by its events.
  void take_on_device(int device_index, Row row, Sampler& sampler) const {
    device::Context context(device_index);
    device::Stream stream(context);
    device::Event start(context, device::EventKind::timing), stop(context, device::EventKind::timing);
    const device::Buffer<Value> input(stream, input_.size(), device::Contents::open),
        there(stream, input_.size(), device::Contents::open);
    const device::Buffer<std::byte> filler(stream, kBusyBytes, device::Contents::open);
    std::vector<Value> data(input_.size());
    device::copy_to_device(input.span(), std::span<const Value>(input_), stream);
    // Only queued: while the GPU is busy with it, the run queues its launches, and the events see no latency.
    const auto spoil = [&] {
      std::ranges::fill(data, 0);
      device::wipe(filler.span(), stream);
      device::copy_on_device(there.span(), input.span(), stream);
    };
    const auto run = [&] {
      start.record(stream);
      for (std::size_t at = 0; at < data.size(); at += row_size())
        spectral::cuda::walsh(there.span().subspan(at, row_size()), n_, spectral::Ordering::natural, stream);
      stop.record(stream);
      stop.synchronize();
      return mean_of_rows(1e-3 * static_cast<double>(device::Event::milliseconds(start, stop)));
    };
    const auto check = [&] {
      device::copy_to_host(std::span(data), there.span(), stream);
      stream.synchronize();
      require(data);
    };
    sampler.take(std::move(row), {.run = run, .spoil = spoil, .check = check});
  }

 private:
  std::size_t row_size() const { return std::size_t{1} << n_; }

  double mean_of_rows(double seconds) const {
    return seconds / static_cast<double>(input_.size() / row_size());
  }

  void require(std::span<const Value> got) const {
    require_same(std::as_bytes(std::span(expected_)), std::as_bytes(got), pool_);
  }

  // Sixteen coefficients spread over the last row.
  void check_against_definition() const {
    const std::size_t last = input_.size() - row_size();
    const std::size_t step = std::max<std::size_t>(1, row_size() / 16) | 1;
    for (std::size_t a = 0; a < row_size(); a += step) {
      const auto got = static_cast<std::uint32_t>(expected_[last + a]);
      if (got == coefficient(std::span(input_).subspan(last), a)) continue;
      throw Error(Errc::mismatch, fmt::format("walsh of {} values: coefficient {} is wrong", row_size(), a));
    }
  }

  int n_;
  ThreadPool& pool_;
  std::vector<Value> input_, expected_;
};

}  // namespace

void measure_spectral(const Plan& plan, Sampler& sampler) {
  ThreadPool pool(plan.threads);
  for (const int n : plan.log2_sizes) {
    const RowCase c(n, pool);
    for (const std::string& name : plan.engines) {
      if (const auto device = device_of(name)) {
        c.take_on_device(*device, c.row(name, 0, "device memory"), sampler);
        continue;
      }
      c.take_on_host(c.row(name, 1, "host memory"), sampler);
      if (plan.threads > 1) c.take_on_host(c.row(name, plan.threads, "host memory"), sampler);
    }
  }
}

}  // namespace fugu::cli::bench
