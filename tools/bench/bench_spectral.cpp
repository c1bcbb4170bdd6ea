// bench_spectral cpu|gpu STAMP: times the spectral module and writes raw samples as CSV on standard output.
//
// STAMP is "machine,date,commit,command", written before every sample. floor_microseconds is the time that
// the bytes of the passes would take at the copy bandwidth measured in the same run (0: none). `cpu` needs no
// GPU; `gpu` runs on GPU 0, where transforms are compared with the CPU's before they are timed.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "fugu/spectral/cuda/characters.hpp"
#include "fugu/spectral/cuda/detail/run_plan.hpp"
#include "fugu/spectral/cuda/papers/papers.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "gpu_spectral_bench.hpp"

namespace {

using namespace fugu;
using namespace fugu::spectral;
using device::Buffer;
using device::Contents;
using namespace fugu::bench;

void require(bool right, const std::string& what) {
  if (right) return;
  std::fprintf(stderr, "wrong result: %s\n", what.c_str());
  std::exit(7);
}

void copy_bandwidth(GpuSpectralBench& bench) {
  const std::size_t bytes = std::size_t{4} << 30;
  const Buffer<std::byte> a(bench.stream(), bytes, Contents::open), b(bench.stream(), bytes, Contents::open);
  device::wipe(a.span(), bench.stream());
  const double time = bench.median("copy", "4 GiB", 32, 0,
                                   [&] { device::copy_on_device(b.span(), a.span(), bench.stream()); });
  const double bytes_per_microsecond = 2.0 * static_cast<double>(bytes) / time;
  bench.set_bandwidth(bytes_per_microsecond);
  std::fprintf(stderr, "copy bandwidth %.2f TB/s\n", bytes_per_microsecond / 1e6);
}

template <class T>
void check_transform(GpuSpectralBench& bench, const std::string& type, int n) {
  std::vector<T> expected(std::size_t{1} << n), result(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = static_cast<T>(GpuSpectralBench::mixed(i) % 3);
  Buffer<T> data(bench.stream(), expected.size(), Contents::open);
  device::copy_to_device(data.span(), expected, bench.stream());
  cuda::walsh(data.span(), n, Ordering::natural, bench.stream());
  device::copy_to_host(std::span<T>(result), data.span(), bench.stream());
  bench.stream().synchronize();
  walsh(std::span(expected), n);
  require(result == expected, type + " transform");
}

template <class T>
void transform(GpuSpectralBench& bench, const std::string& type, int n) {
  if (n <= 24) check_transform<T>(bench, type, n);
  const auto data = bench.random<T>(std::size_t{1} << n, 1);
  const auto plan = cuda::plan_walsh(n, data.size(), sizeof(T), bench.chip());
  const double bytes = 2.0 * static_cast<double>(data.size() * sizeof(T));
  bench.median("walsh", type, n, bench.floor_of(bytes * GpuSpectralBench::over_memory(plan)),
               [&] { cuda::walsh(data.span(), n, Ordering::natural, bench.stream()); });
}

// All of the device's memory: too much for copying random values to it.
void largest_transform(GpuSpectralBench& bench) {
  const int n = 35;
  if (bench.context().info().memory_bytes < (std::size_t{4} << n) + (std::size_t{1} << 30)) return;
  const Buffer<std::int32_t> data(bench.stream(), std::size_t{1} << n, Contents::open);
  device::wipe(data.span(), bench.stream());
  const auto plan = cuda::plan_walsh(n, data.size(), sizeof(std::int32_t), bench.chip());
  bench.median("walsh", "int32", n,
               bench.floor_of(8.0 * static_cast<double>(data.size()) * GpuSpectralBench::over_memory(plan)),
               [&] { cuda::walsh(data.span(), n, Ordering::natural, bench.stream()); });
}

// The pieces of plan_walsh(), and alternatives that it does not choose.
void cut(GpuSpectralBench& bench, const std::string& name, int n, const cuda::WalshPlan& plan) {
  const auto data = bench.random<std::int32_t>(std::size_t{1} << n, 1);
  bench.median("pass", name, n,
               bench.floor_of(8.0 * static_cast<double>(data.size()) * GpuSpectralBench::over_memory(plan)),
               [&] { cuda::run_plan(plan, data.span(), bench.stream()); });
}

void cuts(GpuSpectralBench& bench) {
  const auto strided = [](int first, int stages) { return cuda::strided_pass(14, 5, first, stages); };
  const kernels::WalshPass low{false, 14, 14, 14, 0, 14};
  const auto chain = [](int n, int stages, std::uint32_t lead) {
    const kernels::WalshPass first{false, 13, 13, 13, 0, 13};
    const kernels::ChainShape shape{std::uint64_t{1} << (n - 13 - stages), 1u << stages,
                                    std::max(1u << stages, lead)};
    return cuda::WalshPlan{{first, cuda::strided_pass(13, 5, 13, stages)}, shape};
  };
  for (const int n : {24, 26, 28, 30}) cut(bench, "14", n, {{low}, {}});
  for (const int n : {24, 26}) cut(bench, "10 from 14", n, {{strided(14, 10)}, {}});
  for (const int stages : {6, 7, 8, 9, 10}) {
    cut(bench, std::to_string(stages) + " at the top", 30, {{strided(30 - stages, stages)}, {}});
  }
  for (const int stages : {5, 6, 7, 8})
    cut(bench, "chain 13 + " + std::to_string(stages), 28, chain(28, stages, 512));
  for (const std::uint32_t lead : {128u, 256u, 384u, 640u, 768u}) {
    cut(bench, "chain 13 + 6 with " + std::to_string(lead) + " tiles ahead", 28, chain(28, 6, lead));
  }
  for (const std::uint32_t lead : {448u, 560u, 640u}) {
    cut(bench, "chain 13 + 8 with " + std::to_string(lead) + " tiles ahead", 28, chain(28, 8, lead));
  }
  cut(bench, "14 + 7 + 7", 28, {{low, strided(14, 7), strided(21, 7)}, {}});
  // The two passes without the evict-first stores that plan_walsh() chooses.
  const kernels::WalshPass ring{false, 15, 15, 15, 0, 15};
  cut(bench, "14 + 10", 24, {{low, strided(14, 10)}, {}});
  for (const int n : {25, 26}) {
    cut(bench, "15", n, {{ring}, {}});
    cut(bench, std::to_string(n - 15) + " from 15", n, {{cuda::strided_pass(15, 6, 15, n - 15)}, {}});
    cut(bench, "15 + " + std::to_string(n - 15), n, {{ring, cuda::strided_pass(15, 6, 15, n - 15)}, {}});
  }
}

void transforms(GpuSpectralBench& bench) {
  for (int n = 5; n <= 18; ++n) transform<std::int32_t>(bench, "int32", n);
  for (const int n : {19, 20, 21, 22, 24, 25, 26, 27, 28, 30, 31, 32})
    transform<std::int32_t>(bench, "int32", n);
  largest_transform(bench);
  for (const int n : {18, 23, 24, 25, 27, 30}) transform<std::int64_t>(bench, "int64", n);
  for (const int n : {18, 20, 26, 27, 28, 30}) transform<float>(bench, "float32", n);
  for (const int n : {18, 25, 30}) transform<double>(bench, "float64", n);
}

void batches(GpuSpectralBench& bench) {
  const std::size_t values = std::size_t{1} << 28;
  const auto data = bench.random<std::int32_t>(values, 1);
  for (int n = 5; n <= 13; ++n) {
    bench.median("batch", "int32", n, bench.floor_of(8.0 * static_cast<double>(values)),
                 [&] { cuda::walsh(data.span(), n, Ordering::natural, bench.stream()); });
  }
}

void characters(GpuSpectralBench& bench) {
  std::uint64_t side = 1;
  for (int m = 1; m <= 8; ++m) {
    side *= 3;
    const Buffer<std::complex<float>> first(bench.stream(), side * side, Contents::open);
    const Buffer<std::complex<float>> second(bench.stream(), side * side, Contents::open);
    const CharacterGroup group = group_3(m);
    const double bytes = static_cast<double>(first.size() * sizeof(std::complex<float>));
    bench.median("characters", "C_3^m complex64", m, bench.floor_of(bytes), [&] {
      cuda::character_table(group, whole_table(group), first.span(), RowOrder::kronecker, bench.stream());
    });
    bench.median("characters", "C_3^m kronecker (paper)", m, bench.floor_of(bytes),
                 [&] { cuda::paper_characters(3, m, first.span(), second.span(), bench.stream()); });
  }
  const CharacterGroup group = CharacterGroup::parse("3^10");
  const TableTile tile{0, 20000, 0, group.order()};
  const Buffer<std::uint8_t> out(bench.stream(), tile.rows * tile.columns, Contents::open);
  bench.median("characters", "C_3^10 uint8 20000 rows", 10, bench.floor_of(static_cast<double>(out.size())),
               [&] { cuda::character_table(group, tile, out.span(), RowOrder::kronecker, bench.stream()); });
}

void papers(GpuSpectralBench& bench) {
  for (int n = 7; n <= 18; ++n) {
    const auto data = bench.random<std::int32_t>(std::size_t{1} << n, 1);
    const Buffer<std::int32_t> other(bench.stream(), data.size(), Contents::open);
    for (int algorithm = 1; algorithm <= 6; ++algorithm) {
      bench.median("paper", "algorithm " + std::to_string(algorithm), n, 0,
                   [&] { cuda::paper_walsh(algorithm, data.span(), other.span(), {}, bench.stream()); });
    }
    if (n == 15 || n == 16) {
      for (std::uint32_t threads = 32; threads <= 1024; threads *= 2) {
        bench.median("figure 6", std::to_string(threads) + " threads", n, 0, [&] {
          cuda::paper_walsh(1, data.span(), other.span(), {.threads = threads}, bench.stream());
        });
      }
    }
    for (std::uint32_t m = 1; n == 16 && m <= 64; m *= 2) {
      bench.median("figure 7", "M = " + std::to_string(m), n, 0, [&] {
        cuda::paper_walsh(3, data.span(), other.span(), {.values_per_thread = m}, bench.stream());
      });
    }
  }
}

void run_on_gpu(const SpectralSamples& samples) {
  GpuSpectralBench bench(samples);
  copy_bandwidth(bench);
  cuts(bench);
  transforms(bench);
  batches(bench);
  bench_boolean(bench);
  bench_convolutions(bench);
  characters(bench);
  papers(bench);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count == 3 ? arguments[1] : "";
  if (what != "cpu" && what != "gpu") {
    std::fprintf(stderr, "usage: bench_spectral cpu|gpu STAMP\n");
    return 1;
  }
  const SpectralSamples samples(arguments[2]);
  if (what == "cpu") {
    fugu::bench::bench_spectral_cpu(samples);
  } else {
    run_on_gpu(samples);
  }
  return 0;
}
