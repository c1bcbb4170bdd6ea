// fugu bench --spectral: batches of rows of 16-bit floats.
#include <algorithm>
#include <string>

#include "cli/bench/spectral_trials.hpp"
#include "fugu/core/hadamard_base.hpp"
#include "fugu/core/half.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/walsh.hpp"

namespace fugu::cli::bench {
namespace {

using core::Float16;

constexpr std::size_t kHostValues = std::size_t{1} << 20, kGpuValues = std::size_t{1} << 26;  // of a batch
constexpr int kRepeats[] = {12, 20, 28, 40};
constexpr int kMostRepeatBits = 10, kMostGpuBits = 21;  // what kernels take

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

// Rows of m 2^n small integers. Their sums are exact in float, so that their transforms are those of
// integers, divided by 2^(n / 2) and rounded once.
RowCase<Float16> make_case(int m, int n, std::size_t batch, ThreadPool& pool) {
  const double scale = 1.0 / static_cast<double>(std::uint64_t{1} << n / 2);
  const std::size_t size = static_cast<std::size_t>(m) << n;
  RowCase<Float16> c{.row_size = size};
  c.on_host = [=](std::span<const Float16> from, std::span<Float16> to, ThreadPool& workers) {
    const std::span in(reinterpret_cast<const std::uint16_t*>(from.data()), from.size());
    const std::span out(reinterpret_cast<std::uint16_t*>(to.data()), to.size());
    spectral::walsh_halves(spectral::Half::float16, in, out, n, scale, {.pool = &workers});
  };
  c.on_device = [=](auto in, device::DeviceSpan<Float16> out, const device::Stream& stream) {
    if (m == 1) return spectral::cuda::walsh(in, out, n, spectral::Ordering::natural, scale, stream);
    spectral::cuda::hadamard(in, out, {m}, n, scale, stream);
  };
  std::vector<std::int32_t> values(std::max<std::size_t>(1, batch / size) * size);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::int32_t>(i * 2654435761u >> 13 & 3) - 1;
  for (const std::int32_t value : values)
    c.input.push_back(core::rounded<Float16>(static_cast<float>(value)));
  spectral::walsh(std::span(values), n, {.pool = &pool});
  c.expected.resize(values.size());
  const std::vector<int> matrix = matrix_of(m);
  pool.for_each(values.size() / size, [&](std::size_t row) {
    const std::span<const std::int32_t> parts = std::span(values).subspan(row * size, size);
    for (std::size_t i = 0; i < size; ++i)
      c.expected[row * size + i] =
          core::rounded<Float16>(static_cast<float>(combined(matrix, parts, i, n) * scale));
  });
  return c;
}

}  // namespace

void measure_spectral_halves(const Plan& plan, Sampler& sampler) {
  ThreadPool pool(plan.threads);
  const auto take = [&](int m, int n, const std::string& name) {
    const RowCase<Float16> c = make_case(m, n, is_gpu(name) ? kGpuValues : kHostValues, pool);
    const std::string mode = m == 1 ? "walsh float16" : "hadamard float16 " + std::to_string(m) + " x";
    take_rows(c, name, mode, plan, pool, sampler);
  };
  for (const int n : plan.log2_sizes) {
    if (n > kMostGpuBits) continue;
    for (const std::string& name : plan.engines) {
      take(1, n, name);
      for (const int m : kRepeats)
        if (is_gpu(name) && n <= kMostRepeatBits) take(m, n, name);
    }
  }
}

}  // namespace fugu::cli::bench
