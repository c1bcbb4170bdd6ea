// fugu bench --spectral

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cli/bench/scopes.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/walsh.hpp"
#include "measure/bytes.hpp"

namespace fugu::cli::bench {
namespace {

using Values = std::vector<std::int32_t>;

// Small transforms are timed in batches of at least this size, one call per row: otherwise the clock's
// resolution would show.
constexpr std::size_t kLeastValues = 8192;

// Zeroing this much takes a GPU longer than the host needs to queue the launches of the smallest transforms.
constexpr std::size_t kBusyBytes = std::size_t{256} << 20;

// Rows of 2^n values, and their spectra; everything modulo 2^32.
struct SpectralCase {
  int n;
  Values input;
  Values expected;

  std::size_t row_size() const { return std::size_t{1} << n; }
  std::size_t rows() const { return input.size() >> n; }
};

// W(a) = sum of (-1)^popcount(a & x) f(x), by definition.
std::uint32_t coefficient(std::span<const std::int32_t> f, std::size_t a) {
  std::uint32_t sum = 0;
  for (std::size_t x = 0; x < f.size(); ++x) {
    const auto value = static_cast<std::uint32_t>(f[x]);
    sum += std::popcount(a & x) % 2 == 0 ? value : 0 - value;
  }
  return sum;
}

// Checks sixteen coefficients spread over the last row against the definition.
void check_against_definition(const SpectralCase& c) {
  const std::size_t last = c.input.size() - c.row_size();
  const std::size_t step = std::max<std::size_t>(1, c.row_size() / 16) | 1;
  for (std::size_t a = 0; a < c.row_size(); a += step) {
    const auto got = static_cast<std::uint32_t>(c.expected[last + a]);
    if (got == coefficient(std::span(c.input).subspan(last), a)) continue;
    throw Error(Errc::mismatch, fmt::format("walsh, n = {}: coefficient {} is wrong", c.n, a));
  }
}

SpectralCase make_case(int n, ThreadPool& pool) {
  SpectralCase c{n, Values(std::max(kLeastValues, std::size_t{1} << n)), {}};
  fill_random(std::as_writable_bytes(std::span(c.input)), pool);
  c.expected = c.input;
  spectral::walsh(std::span(c.expected), n, {.threads = pool.threads()});
  check_against_definition(c);
  return c;
}

// Seconds are those of one transform: the mean over the case's rows, one after the other.
class SpectralTrial : public Trial {
 public:
  SpectralTrial(const SpectralCase& c, ThreadPool& pool) : case_(c), data_(c.input.size()), pool_(pool) {}

  void spoil() override { std::ranges::copy(case_.input, data_.begin()); }
  void check() override {
    require_same(std::as_bytes(std::span(case_.expected)), std::as_bytes(std::span(data_)), pool_);
  }

 protected:
  double mean_of_rows(double seconds) const { return seconds / static_cast<double>(case_.rows()); }

  const SpectralCase& case_;
  Values data_;

 private:
  ThreadPool& pool_;
};

class HostSpectralTrial final : public SpectralTrial {
 public:
  HostSpectralTrial(const SpectralCase& c, ThreadPool& pool, unsigned threads)
      : SpectralTrial(c, pool), workers_(threads) {}

  double run() override {
    return mean_of_rows(wall_seconds([&] {
      for (std::size_t at = 0; at < data_.size(); at += case_.row_size())
        spectral::walsh(std::span(data_).subspan(at, case_.row_size()), case_.n, {.pool = &workers_});
    }));
  }

 private:
  ThreadPool workers_;
};

// In the device's own memory, timed by its events.
class GpuSpectralTrial final : public SpectralTrial {
 public:
  GpuSpectralTrial(const SpectralCase& c, ThreadPool& pool, int device_index)
      : SpectralTrial(c, pool),
        context_(device_index),
        stream_(context_),
        start_(context_, device::EventKind::timing),
        stop_(context_, device::EventKind::timing),
        input_(stream_, c.input.size(), device::Contents::open),
        there_(stream_, c.input.size(), device::Contents::open),
        filler_(stream_, kBusyBytes, device::Contents::open) {
    device::copy_to_device(input_.span(), std::span(case_.input), stream_);
  }

  // Only queued: while the GPU is busy with it, run() queues its launches, and the events see no latency.
  void spoil() override {
    std::ranges::fill(data_, 0);
    device::wipe(filler_.span(), stream_);
    device::copy_on_device(there_.span(), input_.span(), stream_);
  }

  double run() override {
    start_.record(stream_);
    for (std::size_t at = 0; at < there_.size(); at += case_.row_size())
      spectral::cuda::walsh(there_.span().subspan(at, case_.row_size()), case_.n, spectral::Ordering::natural,
                            stream_);
    stop_.record(stream_);
    stop_.synchronize();
    return mean_of_rows(1e-3 * static_cast<double>(device::Event::milliseconds(start_, stop_)));
  }

  void check() override {
    device::copy_to_host(std::span(data_), there_.span(), stream_);
    stream_.synchronize();
    SpectralTrial::check();
  }

 private:
  device::Context context_;
  device::Stream stream_;
  device::Event start_;
  device::Event stop_;
  device::Buffer<std::int32_t> input_;
  device::Buffer<std::int32_t> there_;
  device::Buffer<std::byte> filler_;  // zeroed only to keep the GPU busy
};

}  // namespace

void measure_spectral(const Plan& plan, Sampler& sampler) {
  ThreadPool pool(plan.threads);
  for (const int n : plan.log2_sizes) {
    const SpectralCase c = make_case(n, pool);
    const auto take = [&](const std::string& engine, unsigned threads, const char* place, Trial&& trial) {
      sampler.take({Scope::spectral, engine, threads, "walsh int32", "forward", place,
                    sizeof(std::int32_t) * c.row_size()},
                   trial);
    };
    for (const std::string& name : plan.engines) {
      if (is_gpu(name)) {
        take(name, 0, "device memory", GpuSpectralTrial(c, pool, *device_of(name)));
        continue;
      }
      take(name, 1, "host memory", HostSpectralTrial(c, pool, 1));
      if (plan.threads > 1) take(name, plan.threads, "host memory", HostSpectralTrial(c, pool, plan.threads));
    }
  }
}

}  // namespace fugu::cli::bench
