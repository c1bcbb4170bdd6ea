#include "cli/check/calibrate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>

#include "cli/spectral/gpu.hpp"
#include "fugu/core/splitmix.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/cuda/on_device.hpp"
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/spectral/sbox/named.hpp"
#include "fugu/threads/processors.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "measure/trial.hpp"

namespace fugu::cli {
namespace {

using bench::wall_seconds;
using choice::Work;

constexpr std::size_t kCipherBytes = std::size_t{32} << 20;
// Spectra of 2^24 values would count what threads wait for each other, and predict 1.3 times the time of those as long
// as a GPU takes to start.
constexpr int kVariables = 26;
constexpr int kWalshBits = 24;
constexpr const char* kBox = "permutation:14:1";

// The spectra of kBox on a core of the machines of the built-in figures: 0.39 s for 2^32 entries on 16.
constexpr double kBoxCoreSeconds = 0.39;

// The median of some runs after one that may start threads and touch memory.
template <class Run>
double median_seconds(const Run& run) {
  run();
  std::array<double, 3> seconds{};
  std::ranges::generate(seconds, [&] { return wall_seconds(run); });
  std::ranges::sort(seconds);
  return seconds[1];
}

class Calibrator {
 public:
  choice::Calibration measure() {
    if (!device::inventory().devices.empty()) {
      result_.gpu_start_seconds = std::max(0.001, whole_run_seconds("cuda:0") - whole_run_seconds("cpu"));
      gpu_.emplace(0);
    }
    measure_ciphers();
    measure_nonlinearity();
    measure_walsh();
    measure_boxes();
    return result_;
  }

 private:
  // Work on nothing: as long as the program's start and end, and the loading of the kernels for a spectrum.
  static double whole_run_seconds(std::string_view engine) {
    const std::string command =
        fmt::format("/proc/{}/exe spectral nonlinearity --from bits --engine {} > /dev/null", ::getpid(), engine);
    return median_seconds([&] {
      std::FILE* const run = ::popen(command.c_str(), "w");
      if (run == nullptr) throw system_error("this program cannot be run once more", errno);
      std::fputs("01\n", run);
      if (::pclose(run) != 0) throw Error(Errc::engine, fmt::format("'{}' failed", command));
    });
  }

  // `units` on all threads, or on the GPU.
  void keep(Work work, double units, double cpu_seconds, std::optional<double> gpu_seconds) {
    choice::Rates& rates = result_.rates[static_cast<std::size_t>(work)];
    rates.core = cpu_seconds * pool_.threads() / units;
    if (gpu_seconds) rates.gpu = *gpu_seconds / units;
  }

  template <class Run>
  std::optional<double> gpu_seconds(const Run& run) const {
    return gpu_ ? std::optional(median_seconds([&] { run(gpu_->stream); })) : std::nullopt;
  }

  static double cipher_seconds(std::string_view name) {
    const auto engine = engine::make(name);
    const engine::Chunk memory = engine->allocate(kCipherBytes);
    cipher::Schedule schedule;
    cipher::expand(std::array{std::byte{1}}, schedule);
    const engine::Segment segment{.schedule = &schedule, .in = memory.span(), .out = memory.span()};
    std::ranges::fill(memory.span(), std::byte{0});
    return median_seconds([&] { engine->run(engine::Op::ctr, {&segment, 1}); });
  }

  void measure_ciphers() {
    const auto gpu = gpu_ ? std::optional(cipher_seconds("cuda:0")) : std::nullopt;
    for (const engine::EngineInfo& info : engine::list()) {
      if (!info.available || !info.name.starts_with("cpu/")) continue;
      const Work work = info.name == "cpu/scalar" ? Work::cipher_scalar : Work::cipher_avx512vbmi;
      keep(work, kCipherBytes, cipher_seconds(info.name), gpu);
    }
  }

  void measure_nonlinearity() {
    spectral::TruthTable table(kVariables);
    core::SplitMix64 random(1);
    for (std::uint64_t& word : table.words()) word = random.next();
    const auto on_cpu = [&] {
      static_cast<void>(spectral::summarize_spectrum(table, {.pool = &pool_}));
      static_cast<void>(spectral::algebraic_degree(table, {.pool = &pool_}));
    };
    const auto on_gpu = [&](const device::Stream& stream) {
      const auto words = spectral::cuda::upload(table, stream);
      static_cast<void>(spectral::cuda::algebraic_degree(words.span(), kVariables, stream));
      static_cast<void>(spectral::cuda::summarize_spectrum(words.span(), kVariables,
                                                           spectral::cuda::Histogram::yes, stream));
    };
    keep(Work::nonlinearity, units_of(kVariables), median_seconds(on_cpu), gpu_seconds(on_gpu));
  }

  void measure_walsh() {
    std::vector<std::int32_t> values(std::size_t{1} << kWalshBits);
    const auto on_cpu = [&] { spectral::walsh(std::span(values), kWalshBits, {.pool = &pool_}); };
    const auto on_gpu = [&](const device::Stream& stream) {
      spectral::cuda::on_device(std::span(values), stream, [&](device::DeviceSpan<std::int32_t> data) {
        spectral::cuda::walsh(data, kWalshBits, spectral::Ordering::natural, stream);
      });
    };
    keep(Work::walsh, units_of(kWalshBits), median_seconds(on_cpu), gpu_seconds(on_gpu));
  }

  void measure_boxes() {
    const spectral::SBox box = *spectral::named_box(kBox);
    keep(Work::boxes, kBoxCoreSeconds,
         median_seconds([&] { static_cast<void>(spectral::linear(box, {pool_.threads()})); }),
         gpu_seconds([&](const device::Stream& stream) {
           static_cast<void>(spectral::cuda::linear({box, stream}));
         }));
  }

  static constexpr double units_of(int bits) { return static_cast<double>(bits) * (1 << bits); }

  choice::Calibration result_ = choice::built_in();
  threads::ThreadPool pool_{threads::usable_processors()};
  std::optional<Gpu> gpu_;
};

}  // namespace

choice::Calibration measure_calibration() {
  return Calibrator().measure();
}

}  // namespace fugu::cli
