// fugu bench --spectral

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cli/bench/spectral_trials.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/walsh.hpp"

namespace fugu::cli::bench {
namespace {

// Small transforms are timed in batches of at least this size, one call per row: otherwise the clock's
// resolution would show.
constexpr std::size_t kLeastValues = 8192;

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
void check_against_definition(const RowCase<std::int32_t>& c) {
  const std::size_t last = c.input.size() - c.row_size;
  const std::size_t step = std::max<std::size_t>(1, c.row_size / 16) | 1;
  for (std::size_t a = 0; a < c.row_size; a += step) {
    const auto got = static_cast<std::uint32_t>(c.expected[last + a]);
    if (got == coefficient(std::span(c.input).subspan(last), a)) continue;
    throw Error(Errc::mismatch, fmt::format("walsh of {} values: coefficient {} is wrong", c.row_size, a));
  }
}

// Everything modulo 2^32; in place, row by row.
RowCase<std::int32_t> make_case(int n, ThreadPool& pool) {
  const std::size_t size = std::size_t{1} << n;
  RowCase<std::int32_t> c{.row_size = size};
  c.on_host = [=](std::span<const std::int32_t>, std::span<std::int32_t> data, ThreadPool& workers) {
    for (std::size_t at = 0; at < data.size(); at += size)
      spectral::walsh(data.subspan(at, size), n, {.pool = &workers});
  };
  c.on_device = [=](auto, device::DeviceSpan<std::int32_t> data, const device::Stream& stream) {
    for (std::size_t at = 0; at < data.size; at += size)
      spectral::cuda::walsh(data.subspan(at, size), n, spectral::Ordering::natural, stream);
  };
  c.input.resize(std::max(kLeastValues, size));
  fill_random(std::as_writable_bytes(std::span(c.input)), pool);
  c.expected = c.input;
  spectral::walsh(std::span(c.expected), n, {.threads = pool.threads()});
  check_against_definition(c);
  return c;
}

}  // namespace

void measure_spectral(const Plan& plan, Sampler& sampler) {
  ThreadPool pool(plan.threads);
  for (const int n : plan.log2_sizes) {
    const RowCase<std::int32_t> c = make_case(n, pool);
    for (const std::string& name : plan.engines) take_rows(c, name, "walsh int32", plan, pool, sampler);
  }
}

}  // namespace fugu::cli::bench
