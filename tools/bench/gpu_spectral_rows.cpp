// The spectral module on GPU 0, what the papers run there, and other people's transforms. Results are checked
// by the tests of the library, those of peers here.
#include <bit>

#include "bench.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/cuda/detail/walsh_plan.hpp"
#include "fugu/spectral/cuda/papers/papers.hpp"
#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "spectral.hpp"

namespace fugu::bench {
namespace {

using namespace spectral;
using device::Buffer;
using device::Contents;
using Sizes = std::vector<int>;

Row row_on_gpu(Scope scope, std::string mode, int n, std::uint64_t bytes) {
  return {scope, "cuda:0", 0, std::move(mode), n_is(n), "device memory", bytes};
}

// Passes over memory: the second of a chain finds its input in the L2 cache.
double over_memory(const cuda::WalshPlan& plan) {
  return static_cast<double>(plan.passes.size()) - (plan.chain ? 1 : 0);
}

template <class T>
Buffer<T> input(Gpu& gpu, int n) {
  return gpu.random<T>(std::size_t{1} << n, 1);
}

// Rows of 2^n values that fill `data`.
template <class T>
void transform(Bench& bench, const std::string& mode, int n, const Buffer<T>& data) {
  Gpu& gpu = bench.gpu();
  const double bytes = static_cast<double>(sizeof(T) * data.size());
  const auto plan = cuda::plan_walsh(n, data.size(), sizeof(T), cuda::chip_of(gpu.context));
  bench.on_gpu(row_on_gpu(Scope::spectral, mode, n, sizeof(T) * data.size()), 2 * bytes * over_memory(plan),
               [&] { cuda::walsh(data.span(), n, Ordering::natural, gpu.stream); });
}

template <class T>
void transforms(Bench& bench, const Sizes& sizes) {
  for (const int n : sizes) transform<T>(bench, "walsh " + type_name<T>(), n, input<T>(bench.gpu(), n));
}

// All of the device's memory: too much for copying random values to it.
void largest_transform(Bench& bench) {
  const int n = 35;
  Gpu& gpu = bench.gpu();
  if (gpu.context.info().memory_bytes < (std::size_t{4} << n) + (std::size_t{1} << 30)) return;
  const Buffer<std::int32_t> data(gpu.stream, std::size_t{1} << n, Contents::open);
  device::wipe(data.span(), gpu.stream);
  transform(bench, "walsh int32", n, data);
}

template <class T>
void batches(Bench& bench, const Sizes& sizes) {
  const auto data = input<T>(bench.gpu(), 28);
  for (const int n : sizes) transform(bench, "batch " + type_name<T>(), n, data);
}

void boolean(Bench& bench) {
  Gpu& gpu = bench.gpu();
  for (const int n : {18, 20, 24, 26, 28, 30}) {
    const auto words = gpu.random<std::uint32_t>((std::size_t{1} << n) / 32, 0xffffffffu);
    const Buffer<std::int32_t> out(gpu.stream, std::size_t{1} << n, Contents::open);
    const double v = static_cast<double>(out.size());
    // Bits in, 16-bit values out and in, 32-bit values out; three passes move 32-bit values once more each
    // way, and 16-bit ones where they gather statistics.
    const double full = v / 8 + (n > 24 ? 4 + 12 : 4 + 4) * v;
    const double gathered = v / 8 + (n > 24 ? 4 + 4 : 4) * v;
    const auto take = [&](const char* mode, double moved, const std::function<void()>& work) {
      bench.on_gpu(row_on_gpu(Scope::spectral, mode, n, out.size() / 8), moved, work);
    };
    take("boolean spectrum", full, [&] { cuda::boolean_spectrum(words.span(), n, out.span(), gpu.stream); });
    take("boolean nonlinearity", gathered,
         [&] { cuda::summarize_spectrum(words.span(), n, cuda::Counting::no, gpu.stream); });
    take("boolean histogram", gathered, [&] { cuda::count_spectrum(words.span(), n, gpu.stream); });
    take("boolean degree", v / 8 * (n > 24 ? 3 : 1),
         [&] { cuda::algebraic_degree(words.span(), n, gpu.stream); });
  }
}

template <class T>
void convolutions(Bench& bench, const Sizes& sizes) {
  Gpu& gpu = bench.gpu();
  for (const int n : sizes) {
    const auto f = input<T>(gpu, n), g = input<T>(gpu, n);
    const auto plan = cuda::plan_convolution(n, sizeof(T), cuda::chip_of(gpu.context));
    const double bytes = static_cast<double>(sizeof(T) * f.size());
    bench.on_gpu(row_on_gpu(Scope::spectral, "convolution " + type_name<T>(), n, sizeof(T) * f.size()),
                 bytes * (6 * over_memory(plan.forward) + 3),
                 [&] { cuda::dyadic_convolve(f.span(), g.span(), gpu.stream); });
  }
}

void character_tables(Bench& bench) {
  Gpu& gpu = bench.gpu();
  for (int m = 1; m <= 8; ++m) {
    const CharacterGroup group = group_3(m);
    const Buffer<std::complex<float>> first(gpu.stream, group.order() * group.order(), Contents::open),
        second(gpu.stream, first.size(), Contents::open);
    const std::size_t bytes = first.size() * sizeof(std::complex<float>);
    const auto moved = static_cast<double>(bytes);
    bench.on_gpu(row_on_gpu(Scope::spectral, "characters of C_3^m", m, bytes), moved, [&] {
      cuda::character_table(group, whole_table(group), first.span(), RowOrder::kronecker, gpu.stream);
    });
    bench.on_gpu(row_on_gpu(Scope::paper, "characters of C_3^m by Kronecker products", m, bytes), moved,
                 [&] { cuda::paper_characters(3, m, first.span(), second.span(), gpu.stream); });
  }
}

// --- the papers

void paper_transform(Bench& bench, const std::string& mode, int n, int algorithm,
                     const cuda::PaperOptions& options) {
  Gpu& gpu = bench.gpu();
  const auto data = input<std::int32_t>(gpu, n);
  const Buffer<std::int32_t> other(gpu.stream, data.size(), Contents::open);
  bench.on_gpu(row_on_gpu(Scope::paper, mode, n, 4 * data.size()), 0,
               [&] { cuda::paper_walsh(algorithm, data.span(), other.span(), options, gpu.stream); });
}

void paper_algorithms(Bench& bench) {
  for (int n = 7; n <= 18; ++n)
    for (int algorithm = 1; algorithm <= 6; ++algorithm)
      paper_transform(bench, "walsh algorithm " + std::to_string(algorithm), n, algorithm, {});
}

void figure_6(Bench& bench) {
  for (const int n : {15, 16})
    for (std::uint32_t threads = 32; threads <= 1024; threads *= 2)
      paper_transform(bench, "figure 6: " + std::to_string(threads) + " threads", n, 1, {.threads = threads});
}

void figure_7(Bench& bench) {
  for (std::uint32_t m = 1; m <= 64; m *= 2)
    paper_transform(bench, "figure 7: M = " + std::to_string(m), 16, 3, {.values_per_thread = m});
}

// Algorithm 1; and both inputs up and the result down, from and to pinned memory, which the paper counts as
// memory time.
void paper_convolutions(Bench& bench) {
  Gpu& gpu = bench.gpu();
  for (const int n : kConvolutionSizes) {
    const auto f = input<std::int64_t>(gpu, n), g = input<std::int64_t>(gpu, n);
    const device::PinnedBuffer<std::int64_t> host(gpu.context, f.size());
    bench.on_gpu(row_on_gpu(Scope::paper, "convolution algorithm 1", n, 8 * f.size()), 0,
                 [&] { cuda::paper_convolve(f.span(), g.span(), gpu.stream); });
    bench.on_gpu(row_on_gpu(Scope::paper, "convolution transfers", n, 8 * f.size()), 0, [&] {
      device::copy_to_device(f.span(), std::span<const std::int64_t>(host.span()), gpu.stream);
      device::copy_to_device(g.span(), std::span<const std::int64_t>(host.span()), gpu.stream);
      device::copy_to_host(host.span(), device::DeviceSpan<const std::int64_t>(f.span()), gpu.stream);
    });
  }
}

// --- peers

// Transforms new copies of the same bits in device memory, by a peer and by fugu, and compares the results
// while they are exact. `transform` returns its seconds.
template <class T>
[[maybe_unused]] void beside(Bench& bench, const std::string& peer,
                             const std::function<double(device::DeviceSpan<T>)>& transform) {
  Gpu& gpu = bench.gpu();
  for (const int n : {20, 24, 26, 27, 28}) {
    const auto bits = input<T>(gpu, n);
    const Buffer<T> there(gpu.stream, bits.size(), Contents::open);
    const auto spoil = [&] {
      device::copy_on_device(there.span(), bits.span(), gpu.stream);
      gpu.stream.synchronize();
    };
    const auto check = [&] {
      if (n > 24) return;
      std::vector<T> expected(bits.size()), got(bits.size());
      device::copy_to_host(std::span(expected), bits.span(), gpu.stream);
      device::copy_to_host(std::span(got), there.span(), gpu.stream);
      gpu.stream.synchronize();
      walsh(std::span(expected), n);
      if (got != expected) throw Error(Errc::mismatch, "the two transforms differ");
    };
    const auto take = [&](const std::string& engine, const std::function<double()>& run) {
      Row row = row_on_gpu(Scope::spectral, "walsh " + type_name<T>(), n, sizeof(T) << n);
      row.engine = engine;
      bench.sampler.take(std::move(row), {.run = run, .spoil = spoil, .check = check});
    };
    take(peer, [&] { return transform(there.span()); });
    take("cuda:0 beside " + peer,
         [&] { return gpu.seconds([&] { cuda::walsh(there.span(), n, Ordering::natural, gpu.stream); }); });
  }
}

}  // namespace

std::vector<BenchRow> gpu_spectral_rows() {
  std::vector<BenchRow> rows{
      of_sizes("walsh int32", transforms<std::int32_t>, {5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17,
                                                         18, 19, 20, 21, 22, 24, 25, 26, 27, 28, 30, 31, 32}),
      {Scope::spectral, "walsh of all memory", largest_transform},
      of_sizes("walsh int64", transforms<std::int64_t>, {18, 23, 24, 25, 27, 30}),
      of_sizes("walsh float32", transforms<float>, {18, 20, 26, 27, 28, 30}),
      of_sizes("walsh float64", transforms<double>, {18, 25, 30}),
      of_sizes("batch int32", batches<std::int32_t>, {5, 6, 7, 8, 9, 10, 11, 12, 13}),
      {Scope::spectral, "boolean", boolean},
      of_sizes("convolution int64", convolutions<std::int64_t>, {4, 8, 10, 16, 18, 20, 22, 23, 24, 25, 27}),
      of_sizes("convolution float32", convolutions<float>, {20, 22, 23, 24, 25, 27}),
      {Scope::spectral, "characters", character_tables},
      {Scope::paper, "algorithms 1 to 6", paper_algorithms},
      {Scope::paper, "figure 6", figure_6},
      {Scope::paper, "figure 7", figure_7},
      {Scope::paper, "convolution", paper_convolutions}};
#if defined(FUGU_HAVE_CUDA_SAMPLES)
  rows.push_back({Scope::spectral, "cuda-samples", [](Bench& bench) {
                    beside<float>(bench, "cuda-samples", [](device::DeviceSpan<float> data) {
                      return cuda_samples_walsh(data.data, std::countr_zero(data.size));
                    });
                  }});
#endif
  return rows;
}

}  // namespace fugu::bench
