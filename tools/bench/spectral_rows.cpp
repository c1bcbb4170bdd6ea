// The spectral module on the CPU, and other people's transforms compiled from the user's checkouts.

#include "bench.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "fugu/spectral/papers/papers.hpp"
#include "fugu/spectral/walsh.hpp"
#include "spectral.hpp"
#if defined(FUGU_HAVE_FFHT)
#include "fht.h"
#endif
#if defined(FUGU_HAVE_LIBFWHT)
#include "fwht.h"
#endif

namespace fugu::bench {
namespace {

using namespace spectral;

Row row_on_cpu(Scope scope, std::string engine, unsigned threads, std::string mode, int n,
               std::uint64_t bytes) {
  return {scope, std::move(engine), threads, std::move(mode), n_is(n), "host memory", bytes};
}

template <class T>
void transforms(Bench& bench, unsigned threads) {
  const WalshOptions options{.threads = threads};
  for (const int n : {10, 13, 16, 20, 24}) {
    std::vector<T> data(std::size_t{1} << n);  // zeros: other values, transformed again and again, overflow
    bench.on_cpu(row_on_cpu(Scope::spectral, "cpu", threads, "walsh " + type_name<T>(), n, sizeof(T) << n),
                 [&] { walsh(std::span(data), n, options); });
  }
}

void sequential_algorithm(Bench& bench) {
  for (int n = 7; n <= 20; ++n) {
    std::vector<std::int32_t> data(std::size_t{1} << n, 1);
    bench.on_cpu(row_on_cpu(Scope::paper, "cpu", 1, "walsh algorithm 0", n, 4u << n),
                 [&] { paper_walsh_0(data); });
  }
}

void convolutions(Bench& bench) {
  for (const int n : kConvolutionSizes) {
    std::vector<std::int64_t> f(std::size_t{1} << n), a, b;
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = static_cast<std::int64_t>(i * 2654435761u >> 13 & 1);
    bench.on_cpu(
        row_on_cpu(Scope::spectral, "cpu", bench.pool.threads(), "convolution int64", n, sizeof f[0] << n),
        [&] {
          a = b = f;
          dyadic_convolve(std::span(a), std::span(b));
        });
  }
}

void character_tables(Bench& bench) {
  for (int m = 1; m <= 8; ++m) {
    const CharacterGroup group = group_3(m);
    std::vector<std::complex<float>> table(group.order() * group.order());
    bench.on_cpu(row_on_cpu(Scope::spectral, "cpu", bench.pool.threads(), "characters of C_3^m", m,
                            sizeof table[0] * table.size()),
                 [&] { character_table(group, whole_table(group), std::span(table), RowOrder::kronecker); });
  }
}

// A peer and fugu in turn, on rows of 2^n small integers, whose sums are exact in T; short ones are timed
// many at a time. Each is checked by fugu's transform.
template <class T>
[[maybe_unused]] void beside(Bench& bench, const std::string& peer,
                             const std::function<void(std::span<T>, int)>& transform) {
  const auto own = [](std::span<T> row, int n) { walsh(row, n, {.threads = 1}); };
  for (const int n : {10, 16, 20, 24}) {
    const std::size_t size = std::size_t{1} << n, rows = std::max<std::size_t>(1, (1u << 18) / size);
    std::vector<T> input(rows * size), data(input.size());
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<T>(i * 2654435761u >> 13 & 1);
    std::vector<T> expected = input;
    walsh(std::span(expected), n);
    const auto take = [&](const std::string& engine, const std::function<void(std::span<T>, int)>& by) {
      const auto run = [&] {
        for (std::size_t i = 0; i < rows; ++i) by(std::span(data).subspan(i * size, size), n);
      };
      const auto check = [&] {
        if (data != expected) throw Error(Errc::mismatch, "the two transforms differ");
      };
      bench.sampler.take(row_on_cpu(Scope::spectral, engine, 1, "walsh " + type_name<T>(), n, sizeof(T) << n),
                         {.run = [&] { return wall_seconds(run) / static_cast<double>(rows); },
                          .spoil = [&] { std::ranges::copy(input, data.begin()); },
                          .check = check});
    };
    take(peer, transform);
    take("cpu beside " + peer, own);
  }
}

}  // namespace

std::vector<BenchRow> spectral_rows() {
  std::vector<BenchRow> rows{
      {Scope::spectral, "cpu walsh int32", [](Bench& b) { transforms<std::int32_t>(b, 1); }},
      {Scope::spectral, "cpu walsh float32", [](Bench& b) { transforms<float>(b, 1); }},
      {Scope::spectral, "cpu walsh int64", [](Bench& b) { transforms<std::int64_t>(b, 1); }},
      {Scope::spectral, "cpu all threads", [](Bench& b) { transforms<std::int32_t>(b, b.pool.threads()); }},
      {Scope::spectral, "cpu convolution", convolutions},
      {Scope::spectral, "cpu characters", character_tables},
      {Scope::paper, "cpu algorithm 0", sequential_algorithm}};
#if defined(FUGU_HAVE_FFHT)
  rows.push_back({Scope::spectral, "FFHT", [](Bench& b) {
                    beside<float>(b, "FFHT", [](std::span<float> row, int n) { fht_float(row.data(), n); });
                  }});
#endif
#if defined(FUGU_HAVE_LIBFWHT)
  rows.push_back({Scope::spectral, "LibFWHT", [](Bench& b) {
                    beside<std::int32_t>(b, "LibFWHT", [](std::span<std::int32_t> row, int) {
                      fwht_i32_backend(row.data(), row.size(), FWHT_BACKEND_CPU);
                    });
                  }});
#endif
  return rows;
}

}  // namespace fugu::bench
