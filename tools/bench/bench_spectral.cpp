// bench_spectral cpu|gpu STAMP: times the spectral module and writes raw samples as CSV on standard output.
//
// STAMP is "machine,date,commit,command", written before every sample. floor_microseconds is the time that
// the bytes of the passes would take at the copy bandwidth measured in the same run (0: none). `cpu` needs no
// GPU; `gpu` runs on GPU 0, where transforms are compared with the CPU's before they are timed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "fugu/spectral/cuda/characters.hpp"
#include "fugu/spectral/cuda/detail/run_plan.hpp"
#include "fugu/spectral/cuda/detail/spectrum_statistics.hpp"
#include "fugu/spectral/cuda/dyadic.hpp"
#include "fugu/spectral/cuda/papers/papers.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "spectral_samples.hpp"

namespace {

using namespace fugu;
using namespace fugu::spectral;
using device::Buffer;
using device::Contents;
using fugu::bench::group_3;
using fugu::bench::kConvolutionSizes;
using fugu::bench::SpectralSamples;

void require(bool right, const std::string& what) {
  if (right) return;
  std::fprintf(stderr, "wrong result: %s\n", what.c_str());
  std::exit(7);
}

class GpuBench {
 public:
  explicit GpuBench(const SpectralSamples& samples)
      : samples_(samples),
        context_(0),
        stream_(context_),
        from_(context_, device::EventKind::timing),
        to_(from_kind()) {}

  void run() {
    copy_bandwidth();
    cuts();
    transforms();
    batches();
    boolean();
    convolutions();
    characters();
    papers();
  }

 private:
  device::Event from_kind() { return {context_, device::EventKind::timing}; }
  cuda::Chip chip() const { return cuda::chip_of(context_); }
  double floor_of(double bytes) const { return bytes / bytes_per_microsecond_; }

  // The mean of `repeats` back to back, which hides the host's time to queue one.
  double timed(std::size_t repeats, const std::function<void()>& work) {
    from_.record(stream_);
    for (std::size_t i = 0; i < repeats; ++i) work();
    to_.record(stream_);
    to_.synchronize();
    return 1000.0 * static_cast<double>(device::Event::milliseconds(from_, to_)) /
           static_cast<double>(repeats);
  }

  double median(const std::string& what, const std::string& variant, int n, double floor,
                const std::function<void()>& work) {
    work();
    const double once = timed(1, work);
    const auto repeats = static_cast<std::size_t>(std::clamp(400.0 / std::max(once, 1.0), 1.0, 50.0));
    std::vector<double> samples(9);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i] = timed(repeats, work);
      samples_.add(what, variant, n, i, samples[i], floor);
    }
    std::ranges::sort(samples);
    std::fprintf(stderr, "%-14s %-28s n=%2d %10.2f us floor %9.2f ratio %.2f\n", what.c_str(),
                 variant.c_str(), n, samples[4], floor, floor > 0 ? samples[4] / floor : 0);
    return samples[4];
  }

  void copy_bandwidth() {
    const std::size_t bytes = std::size_t{4} << 30;
    const Buffer<std::byte> a(stream_, bytes, Contents::open), b(stream_, bytes, Contents::open);
    device::wipe(a.span(), stream_);
    const double time =
        median("copy", "4 GiB", 32, 0, [&] { device::copy_on_device(b.span(), a.span(), stream_); });
    bytes_per_microsecond_ = 2.0 * static_cast<double>(bytes) / time;
    std::fprintf(stderr, "copy bandwidth %.2f TB/s\n", bytes_per_microsecond_ / 1e6);
  }

  // SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA 2014).
  static std::uint64_t mixed(std::uint64_t x) {
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }

  template <class T>
  Buffer<T> random(std::size_t count, std::uint64_t mask) {
    std::vector<T> host(std::min<std::size_t>(count, std::size_t{1} << 25));
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<T>(mixed(i) & mask);
    Buffer<T> data(stream_, count, Contents::open);
    for (std::size_t at = 0; at < count; at += host.size()) {
      device::copy_to_device(data.span().subspan(at, host.size()), host, stream_);
    }
    return data;
  }

  template <class T>
  void check_transform(const std::string& type, int n) {
    std::vector<T> expected(std::size_t{1} << n), result(expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<T>(mixed(i) % 3);
    Buffer<T> data(stream_, expected.size(), Contents::open);
    device::copy_to_device(data.span(), expected, stream_);
    cuda::walsh(data.span(), n, Ordering::natural, stream_);
    device::copy_to_host(std::span<T>(result), data.span(), stream_);
    stream_.synchronize();
    walsh(std::span(expected), n);
    require(result == expected, type + " transform");
  }

  template <class T>
  void transform(const std::string& type, int n) {
    if (n <= 24) check_transform<T>(type, n);
    const auto data = random<T>(std::size_t{1} << n, 1);
    const auto plan = cuda::plan_walsh(n, data.size(), sizeof(T), chip());
    const double bytes = 2.0 * static_cast<double>(data.size() * sizeof(T));
    median("walsh", type, n, n <= 18 ? 0 : floor_of(bytes * over_memory(plan)),
           [&] { cuda::walsh(data.span(), n, Ordering::natural, stream_); });
  }

  // Passes over memory: the second of a chain finds its input in the L2 cache.
  static double over_memory(const cuda::WalshPlan& plan) {
    return static_cast<double>(plan.passes.size()) - (plan.chain ? 1 : 0);
  }

  // All of the device's memory: too much for copying random values to it.
  void largest_transform() {
    const int n = 35;
    if (context_.info().memory_bytes < (std::size_t{4} << n) + (std::size_t{1} << 30)) return;
    const Buffer<std::int32_t> data(stream_, std::size_t{1} << n, Contents::open);
    device::wipe(data.span(), stream_);
    const auto plan = cuda::plan_walsh(n, data.size(), sizeof(std::int32_t), chip());
    median("walsh", "int32", n, floor_of(8.0 * static_cast<double>(data.size()) * over_memory(plan)),
           [&] { cuda::walsh(data.span(), n, Ordering::natural, stream_); });
  }

  // The pieces of plan_walsh(), and alternatives that it does not choose.
  void cut(const std::string& name, int n, const cuda::WalshPlan& plan) {
    const auto data = random<std::int32_t>(std::size_t{1} << n, 1);
    median("pass", name, n, floor_of(8.0 * static_cast<double>(data.size()) * over_memory(plan)),
           [&] { cuda::run_plan(plan, data.span(), 0, nullptr, stream_); });
  }

  void cuts() {
    const auto strided = [](int first, int stages) { return cuda::strided_pass(14, 5, first, stages); };
    const kernels::WalshPass low{false, 14, 14, 14, 0, 14};
    const auto chain = [](int n, int stages, std::uint32_t lead) {
      const kernels::WalshPass first{false, 13, 13, 13, 0, 13};
      const kernels::ChainShape shape{std::uint64_t{1} << (n - 13 - stages), 1u << stages,
                                      std::max(1u << stages, lead)};
      return cuda::WalshPlan{{first, cuda::strided_pass(13, 5, 13, stages)}, shape};
    };
    for (const int n : {24, 26, 28, 30}) cut("14", n, {{low}, {}});
    for (const int n : {24, 26}) cut("10 from 14", n, {{strided(14, 10)}, {}});
    for (const int stages : {6, 7, 8, 9, 10}) {
      cut(std::to_string(stages) + " at the top", 30, {{strided(30 - stages, stages)}, {}});
    }
    for (const int stages : {5, 6, 7, 8})
      cut("chain 13 + " + std::to_string(stages), 28, chain(28, stages, 512));
    for (const std::uint32_t lead : {128u, 256u, 384u, 640u, 768u}) {
      cut("chain 13 + 6 with " + std::to_string(lead) + " tiles ahead", 28, chain(28, 6, lead));
    }
    for (const std::uint32_t lead : {448u, 560u, 640u}) {
      cut("chain 13 + 8 with " + std::to_string(lead) + " tiles ahead", 28, chain(28, 8, lead));
    }
    cut("14 + 7 + 7", 28, {{low, strided(14, 7), strided(21, 7)}, {}});
    // The two passes without the evict-first stores that plan_walsh() chooses.
    const kernels::WalshPass ring{false, 15, 15, 15, 0, 15};
    cut("14 + 10", 24, {{low, strided(14, 10)}, {}});
    for (const int n : {25, 26}) {
      cut("15", n, {{ring}, {}});
      cut(std::to_string(n - 15) + " from 15", n, {{cuda::strided_pass(15, 6, 15, n - 15)}, {}});
      cut("15 + " + std::to_string(n - 15), n, {{ring, cuda::strided_pass(15, 6, 15, n - 15)}, {}});
    }
    const kernels::WalshPass clusters{false, 14, 14, 14, 0, 17};
    for (const int n : {24, 26, 27}) cut("17 by clusters", n, {{clusters}, {}});
    cut("10 from 17", 27, {{cuda::strided_pass(15, 6, 17, 10)}, {}});
  }

  void transforms() {
    for (int n = 5; n <= 18; ++n) transform<std::int32_t>("int32", n);
    for (const int n : {19, 20, 21, 22, 24, 25, 26, 27, 28, 30, 31, 32}) transform<std::int32_t>("int32", n);
    largest_transform();
    for (const int n : {18, 23, 24, 25, 27, 30}) transform<std::int64_t>("int64", n);
    for (const int n : {18, 20, 24, 26, 27, 28, 30}) transform<float>("float32", n);
    for (const int n : {18, 25, 30}) transform<double>("float64", n);
  }

  void batches() {
    const std::size_t values = std::size_t{1} << 28;
    const auto data = random<std::int32_t>(values, 1);
    for (int n = 5; n <= 13; ++n) {
      median("batch", "int32", n, floor_of(8.0 * static_cast<double>(values)),
             [&] { cuda::walsh(data.span(), n, Ordering::natural, stream_); });
    }
  }

  void boolean_passes() {
    const int n = 30;
    const std::size_t values = std::size_t{1} << n;
    const auto words = random<std::uint32_t>(values / 32, 0xffffffffu);
    const Buffer<std::int16_t> narrow(stream_, values, Contents::open);
    const Buffer<std::int32_t> wide(stream_, values, Contents::open);
    const Buffer<std::uint32_t> largest(stream_, 1, Contents::open);
    device::wipe(largest.span(), stream_);
    kernels::SpectrumStatistics statistics{};
    statistics.max_abs = largest.data();
    const double v = static_cast<double>(values);
    const auto pass = [&](const std::string& name, double bytes,
                          const std::function<int(device::StreamHandle)>& launch) {
      median("boolean pass", name, n, floor_of(bytes), [&] { device::launch_on(stream_, "pass", launch); });
    };
    pass("first", v * 2.125, [&](device::StreamHandle h) {
      return kernels::launch_boolean_first(words.data(), narrow.data(), n, nullptr, h);
    });
    const Buffer<std::int16_t> later(stream_, values, Contents::open);
    for (const int stages : {7, 8, 9}) {
      const std::string cut = std::string(" ") + std::to_string(stages) + " + " + std::to_string(16 - stages);
      for (const int tile : {13, 14}) {
        const std::string of_tile = cut + " tile " + std::to_string(tile);
        const auto second = cuda::strided_pass(tile, 5, 14, stages),
                   last = cuda::strided_pass(tile, 5, 14 + stages, 16 - stages);
        pass("widen" + of_tile, v * 6, [&](device::StreamHandle h) {
          return kernels::launch_boolean_widen(second, narrow.data(), wide.data(), values, h);
        });
        pass("narrow" + of_tile, v * 4, [&](device::StreamHandle h) {
          return kernels::launch_boolean_narrow(second, narrow.data(), later.data(), largest.data(), values,
                                                h);
        });
        pass("narrow statistics" + of_tile, v * 2, [&](device::StreamHandle h) {
          return kernels::launch_boolean_narrow_statistics(last, later.data(), values, statistics, h);
        });
      }
      const auto last = cuda::strided_pass(kernels::kBooleanTileBits, 5, 14 + stages, 16 - stages);
      pass("statistics" + cut, v * 4, [&](device::StreamHandle h) {
        return kernels::launch_boolean_wide_statistics(last, wide.data(), values, statistics, h);
      });
    }
    counting_passes(later, n);
  }

  // The last pass alone where it counts, of values after 23 stages.
  void counting_passes(const Buffer<std::int16_t>& later, int n) {
    cuda::Statistics statistics = cuda::make_counters(n, 0, stream_);
    device::wipe(statistics.zeroed, stream_);
    statistics.view.narrow_counters = true;
    for (const int tile : {13, 14}) {
      median("boolean pass", "narrow counting 9 + 7 tile " + std::to_string(tile), n,
             floor_of(2 * static_cast<double>(later.size())), [&] {
               device::launch_on(stream_, "pass", [&](device::StreamHandle h) {
                 return kernels::launch_boolean_narrow_statistics(
                     cuda::strided_pass(tile, 5, 23, 7), later.data(), later.size(), statistics.view, h);
               });
             });
    }
  }

  void boolean() {
    boolean_passes();
    for (const int n : {18, 20, 24, 26, 28, 30}) {
      const auto words = random<std::uint32_t>((std::size_t{1} << n) / 32, 0xffffffffu);
      const Buffer<std::int32_t> out(stream_, std::size_t{1} << n, Contents::open);
      const double v = static_cast<double>(out.size());
      // Bits in, 16-bit values out and in, 32-bit values out; three passes move 32-bit values once more each
      // way, and 16-bit ones where they gather statistics.
      const double full = v / 8 + (n > 24 ? 4 + 12 : 4 + 4) * v;
      const double gathered = v / 8 + (n > 24 ? 4 + 4 : 4) * v;
      median("boolean", "spectrum", n, floor_of(full),
             [&] { cuda::boolean_spectrum(words.span(), n, out.span(), stream_); });
      median("boolean", "nonlinearity", n, floor_of(gathered),
             [&] { cuda::summarize_spectrum(words.span(), n, cuda::Histogram::no, stream_); });
      median("boolean", "histogram", n, floor_of(gathered),
             [&] { cuda::count_spectrum(words.span(), n, stream_); });
      median("boolean", "degree", n, floor_of(v / 8 * (n > 24 ? 3 : 1)),
             [&] { cuda::algebraic_degree(words.span(), n, stream_); });
    }
  }

  template <class T>
  void convolution(const std::string& type, int n) {
    const auto f = random<T>(std::size_t{1} << n, 1), g = random<T>(std::size_t{1} << n, 1);
    const auto plan = cuda::plan_convolution(n, sizeof(T), chip());
    const double bytes = static_cast<double>(sizeof(T) * f.size());
    const double floor = floor_of(bytes * (6.0 * over_memory(plan.forward) + 3));
    median("convolution", type, n, floor, [&] { cuda::dyadic_convolve(f.span(), g.span(), stream_); });
  }

  // The fused pass alone, with more stages and fewer left to the passes before it.
  template <class T>
  void convolution_middle(const std::string& type, int n) {
    const auto f = random<T>(std::size_t{1} << n, 1), g = random<T>(std::size_t{1} << n, 1);
    for (const int stages : {5, 6, 7, 8}) {
      const auto pass =
          cuda::strided_pass(kernels::kConvolveTileBits, kernels::kConvolveRegisterBits, n - stages, stages);
      median("convolution pass", type + " " + std::to_string(stages) + " stages", n,
             floor_of(3.0 * static_cast<double>(sizeof(T) * f.size())), [&] {
               device::launch_on(stream_, "pass", [&](device::StreamHandle handle) {
                 return kernels::launch_convolve_pass(cuda::element_of<T>(), pass, f.data(), g.data(),
                                                      f.size(), 0, handle);
               });
             });
    }
  }

  void convolutions() {
    convolution_middle<float>("float32", 27);
    convolution_middle<std::int64_t>("int64", 27);
    for (const int n : {4, 8, 10, 16, 18, 20, 22, 23, 24, 25, 27}) convolution<std::int64_t>("int64", n);
    for (const int n : {20, 22, 23, 24, 25, 27}) convolution<float>("float32", n);
    for (const int n : kConvolutionSizes) {
      const auto f = random<std::int64_t>(std::size_t{1} << n, 1),
                 g = random<std::int64_t>(std::size_t{1} << n, 1);
      median("convolution", "paper algorithm 1", n, 0,
             [&] { cuda::paper_convolve(f.span(), g.span(), stream_); });
      convolution_transfers(n);
    }
  }

  // Both inputs up and the result down, from and to pinned memory, which the paper counts as memory time.
  void convolution_transfers(int n) {
    const device::PinnedBuffer<std::int64_t> host(context_, std::size_t{1} << n);
    const Buffer<std::int64_t> f(stream_, host.size(), Contents::open),
        g(stream_, host.size(), Contents::open);
    median("convolution", "transfers", n, 0, [&] {
      device::copy_to_device(f.span(), std::span<const std::int64_t>(host.span()), stream_);
      device::copy_to_device(g.span(), std::span<const std::int64_t>(host.span()), stream_);
      device::copy_to_host(host.span(), device::DeviceSpan<const std::int64_t>(f.span()), stream_);
    });
  }

  void characters() {
    std::uint64_t side = 1;
    for (int m = 1; m <= 8; ++m) {
      side *= 3;
      const Buffer<std::complex<float>> first(stream_, side * side, Contents::open);
      const Buffer<std::complex<float>> second(stream_, side * side, Contents::open);
      const CharacterGroup group = group_3(m);
      const double bytes = static_cast<double>(first.size() * sizeof(std::complex<float>));
      median("characters", "C_3^m complex64", m, floor_of(bytes), [&] {
        cuda::character_table(group, whole_table(group), first.span(), RowOrder::kronecker, stream_);
      });
      median("characters", "C_3^m kronecker (paper)", m, floor_of(bytes),
             [&] { cuda::paper_characters(3, m, first.span(), second.span(), stream_); });
    }
    const CharacterGroup group = CharacterGroup::parse("3^10");
    const TableTile tile{0, 20000, 0, group.order()};
    const Buffer<std::uint8_t> out(stream_, tile.rows * tile.columns, Contents::open);
    median("characters", "C_3^10 uint8 20000 rows", 10, floor_of(static_cast<double>(out.size())),
           [&] { cuda::character_table(group, tile, out.span(), RowOrder::kronecker, stream_); });
  }

  void papers() {
    for (int n = 7; n <= 18; ++n) {
      const auto data = random<std::int32_t>(std::size_t{1} << n, 1);
      const Buffer<std::int32_t> other(stream_, data.size(), Contents::open);
      for (int algorithm = 1; algorithm <= 6; ++algorithm) {
        median("paper", "algorithm " + std::to_string(algorithm), n, 0,
               [&] { cuda::paper_walsh(algorithm, data.span(), other.span(), {}, stream_); });
      }
      if (n == 15 || n == 16) {
        for (std::uint32_t threads = 32; threads <= 1024; threads *= 2) {
          median("figure 6", std::to_string(threads) + " threads", n, 0,
                 [&] { cuda::paper_walsh(1, data.span(), other.span(), {.threads = threads}, stream_); });
        }
      }
      for (std::uint32_t m = 1; n == 16 && m <= 64; m *= 2) {
        median("figure 7", "M = " + std::to_string(m), n, 0,
               [&] { cuda::paper_walsh(3, data.span(), other.span(), {.values_per_thread = m}, stream_); });
      }
    }
  }

  const SpectralSamples& samples_;
  device::Context context_;
  device::Stream stream_;
  device::Event from_;
  device::Event to_;
  double bytes_per_microsecond_ = 0;
};

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
    GpuBench(samples).run();
  }
  return 0;
}
