// fugu bench --spectral: batches of rows of 16-bit floats.
#include <algorithm>
#include <string>

#include "cli/bench/scopes.hpp"
#include "fugu/core/hadamard_base.hpp"
#include "fugu/core/half.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/walsh.hpp"
#include "measure/bytes.hpp"

namespace fugu::cli::bench {
namespace {

using core::Float16;
using Halves = std::vector<Float16>;

constexpr std::size_t kHostValues = std::size_t{1} << 20, kGpuValues = std::size_t{1} << 26;  // of a batch
constexpr int kRepeats[] = {12, 20, 28, 40};
constexpr int kMostRepeatBits = 10, kMostGpuBits = 21;  // what kernels take

// Rows of m 2^n small integers. Their sums are exact in float, so that their transforms are those of
// integers, divided by 2^(n / 2) and rounded once.
struct HalfCase {
  int m;
  int n;
  double scale;
  Halves input;
  Halves expected;

  std::size_t row_size() const { return static_cast<std::size_t>(m) << n; }
  std::size_t rows() const { return input.size() / row_size(); }
};

std::vector<int> matrix_of(int m) {
  std::vector<int> matrix(static_cast<std::size_t>(m * m), 1);
  for (int i = 0; m > 1 && i < m * m; ++i)
    matrix[static_cast<std::size_t>(i)] = core::hadamard_base(m, i / m, i % m);
  return matrix;
}

// Value `i` of a row whose m parts of 2^n values are transformed.
std::int32_t combined(std::span<const int> matrix, std::span<const std::int32_t> row, std::size_t i, int n) {
  const std::size_t parts = row.size() >> n, part = i >> n, place = i & ((std::size_t{1} << n) - 1);
  std::int32_t sum = 0;
  for (std::size_t j = 0; j < parts; ++j) sum += matrix[part * parts + j] * row[(j << n) + place];
  return sum;
}

HalfCase make_case(int m, int n, std::size_t batch, ThreadPool& pool) {
  HalfCase c{m, n, 1.0 / static_cast<double>(std::uint64_t{1} << n / 2), {}, {}};
  const std::size_t size = c.row_size();
  std::vector<std::int32_t> values(std::max<std::size_t>(1, batch / size) * size);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::int32_t>(i * 2654435761u >> 13 & 3) - 1;
  for (const std::int32_t value : values)
    c.input.push_back(core::rounded<Float16>(static_cast<float>(value)));
  spectral::walsh(std::span(values), n, {.pool = &pool});
  c.expected.resize(values.size());
  const std::vector<int> matrix = matrix_of(m);
  pool.for_each(c.rows(), [&](std::size_t row) {
    const std::span<const std::int32_t> parts = std::span(values).subspan(row * size, size);
    for (std::size_t i = 0; i < size; ++i)
      c.expected[row * size + i] =
          core::rounded<Float16>(static_cast<float>(combined(matrix, parts, i, n) * c.scale));
  });
  return c;
}

class HalfTrial : public Trial {
 public:
  HalfTrial(const HalfCase& c, ThreadPool& pool) : case_(c), data_(c.input.size()), pool_(pool) {}

  void spoil() override { std::ranges::fill(data_, Float16{0}); }
  void check() override {
    require_same(std::as_bytes(std::span(case_.expected)), std::as_bytes(std::span(data_)), pool_);
  }

 protected:
  double mean_of_rows(double seconds) const { return seconds / static_cast<double>(case_.rows()); }

  const HalfCase& case_;
  Halves data_;

 private:
  ThreadPool& pool_;
};

class HostHalfTrial final : public HalfTrial {
 public:
  HostHalfTrial(const HalfCase& c, ThreadPool& pool, unsigned threads)
      : HalfTrial(c, pool), workers_(threads) {}

  double run() override {
    const std::span in(reinterpret_cast<const std::uint16_t*>(case_.input.data()), case_.input.size());
    const std::span out(reinterpret_cast<std::uint16_t*>(data_.data()), data_.size());
    return mean_of_rows(wall_seconds([&] {
      spectral::walsh_halves(spectral::Half::float16, in, out, case_.n, case_.scale, {.pool = &workers_});
    }));
  }

 private:
  ThreadPool workers_;
};

// In the device's own memory, out of place, timed by its events.
class GpuHalfTrial final : public HalfTrial {
 public:
  GpuHalfTrial(const HalfCase& c, ThreadPool& pool, int device_index)
      : HalfTrial(c, pool),
        context_(device_index),
        stream_(context_),
        start_(context_, device::EventKind::timing),
        stop_(context_, device::EventKind::timing),
        input_(stream_, c.input.size(), device::Contents::open),
        there_(stream_, c.input.size(), device::Contents::open) {
    device::copy_to_device(input_.span(), std::span<const Float16>(c.input), stream_);
  }

  void spoil() override {
    HalfTrial::spoil();
    device::wipe(there_.span(), stream_);
  }

  double run() override {
    const device::DeviceSpan<const Float16> in{input_.data(), input_.size()};
    start_.record(stream_);
    if (case_.m == 1) {
      spectral::cuda::walsh(in, there_.span(), case_.n, spectral::Ordering::natural, case_.scale, stream_);
    } else {
      spectral::cuda::hadamard(in, there_.span(), {case_.m}, case_.n, case_.scale, stream_);
    }
    stop_.record(stream_);
    stop_.synchronize();
    return mean_of_rows(1e-3 * static_cast<double>(device::Event::milliseconds(start_, stop_)));
  }

  void check() override {
    device::copy_to_host(std::span(data_), there_.span(), stream_);
    stream_.synchronize();
    HalfTrial::check();
  }

 private:
  device::Context context_;
  device::Stream stream_;
  device::Event start_;
  device::Event stop_;
  device::Buffer<Float16> input_;
  device::Buffer<Float16> there_;
};

void take(const HalfCase& c, const std::string& engine, unsigned threads, const char* place, Sampler& sampler,
          Trial&& trial) {
  const std::string mode = c.m == 1 ? "walsh float16" : "hadamard float16 " + std::to_string(c.m) + " x";
  sampler.take({Scope::spectral, engine, threads, mode, "forward", place, sizeof(Float16) * c.row_size()},
               trial);
}

}  // namespace

void measure_spectral_halves(const Plan& plan, Sampler& sampler) {
  ThreadPool pool(plan.threads);
  const auto on_gpu = [&](int m, int n, const std::string& name) {
    const HalfCase c = make_case(m, n, kGpuValues, pool);
    take(c, name, 0, "device memory", sampler, GpuHalfTrial(c, pool, *device_of(name)));
  };
  for (const int n : plan.log2_sizes) {
    if (n > kMostGpuBits) continue;
    for (const std::string& name : plan.engines) {
      if (is_gpu(name)) {
        on_gpu(1, n, name);
        for (const int m : kRepeats)
          if (n <= kMostRepeatBits) on_gpu(m, n, name);
        continue;
      }
      const HalfCase c = make_case(1, n, kHostValues, pool);
      take(c, name, 1, "host memory", sampler, HostHalfTrial(c, pool, 1));
      if (plan.threads > 1)
        take(c, name, plan.threads, "host memory", sampler, HostHalfTrial(c, pool, plan.threads));
    }
  }
}

}  // namespace fugu::cli::bench
