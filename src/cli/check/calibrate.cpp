#include "cli/check/checks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "cli/lab/work.hpp"
#include "cli/process/console.hpp"
#include "fugu/core/splitmix.hpp"
#include "fugu/device/device.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/platform/system.hpp"
#include "fugu/spectral/cuda/sbox.hpp"
#include "fugu/spectral/cuda/staging.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/named/named.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "measure/trial.hpp"

namespace fugu::cli {
namespace {

using bench::wall_seconds;
using choice::WorkKind;

constexpr std::size_t kCipherBytes = std::size_t{32} << 20;
constexpr int kVariables = 24;
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
    measure_start();
    measure_ciphers();
    measure_nonlinearity();
    measure_walsh();
    measure_boxes();
    return result_;
  }

 private:
  // On a table, and before this process opens the driver: on one value, beside an open driver, a run took
  // 0.21 s where programs take 0.35 (H100).
  void measure_start() {
    const auto on_gpu = device::built_with_cuda() ? whole_run_seconds("cuda:0") : std::nullopt;
    if (!on_gpu && !device::inventory().devices.empty())
      say_note(
          "cuda:0 failed when this program ran on it; the built-in figures for a GPU stay, and auto may "
          "choose it");
    if (!on_gpu) return;
    const auto on_cpu = whole_run_seconds("cpu");
    if (!on_cpu) throw Error(Errc::engine, "this program cannot be started again");
    result_.gpu_start_seconds = std::max(0.001, *on_gpu - *on_cpu);
    gpu_.emplace(0);
  }

  // Little work: as long as the program's start and end. Nothing if the engine is not there, or fails.
  static std::optional<double> whole_run_seconds(std::string_view engine) {
    bool works = true;
    const double seconds = median_seconds([&] { works = works && runs(engine); });
    return works ? std::optional(seconds) : std::nullopt;
  }

  static bool runs(std::string_view engine) {
    const std::string command =
        fmt::format("/proc/{}/exe spectral nonlinearity --from packed --engine {} > /dev/null 2> /dev/null",
                    ::getpid(), engine);
    std::FILE* const run = ::popen(command.c_str(), "w");
    if (run == nullptr) throw system_error("this program cannot be started again", errno);
    const std::array<char, 8192> table{};
    std::fwrite(table.data(), 1, table.size(), run);
    return ::pclose(run) == 0;
  }

  // `units` on all threads, or on the GPU.
  void keep(WorkKind work, double units, double cpu_seconds, std::optional<double> gpu_seconds) {
    choice::Rates& rates = result_.rates_of(work);
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
    for (const engine::EngineInfo& info : engine::list()) {
      const bool on_cpu = info.name.starts_with("cpu/");
      if (!info.available || (!on_cpu && (!gpu_ || info.name != "cuda:0"))) continue;
      const double seconds = cipher_seconds(info.name) * (on_cpu ? pool_.threads() : 1);
      result_.engines.push_back({info.name, seconds / kCipherBytes});
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
                                                           spectral::cuda::Counting::yes, stream));
    };
    keep(WorkKind::nonlinearity, kTransformUnits, median_seconds(on_cpu), gpu_seconds(on_gpu));
  }

  void measure_walsh() {
    std::vector<std::int32_t> values(std::size_t{1} << kVariables);
    const auto on_cpu = [&] { spectral::walsh(std::span(values), kVariables, {.pool = &pool_}); };
    const auto on_gpu = [&](const device::Stream& stream) {
      spectral::cuda::on_device(std::span(values), stream, [&](device::DeviceSpan<std::int32_t> data) {
        spectral::cuda::walsh(data, kVariables, spectral::Ordering::natural, stream);
      });
    };
    keep(WorkKind::walsh, kTransformUnits, median_seconds(on_cpu), gpu_seconds(on_gpu));
  }

  void measure_boxes() {
    const spectral::SBox box = *spectral::named_box(kBox);
    keep(WorkKind::boxes, kBoxCoreSeconds,
         median_seconds([&] { static_cast<void>(spectral::linear(box, {pool_.threads()})); }),
         gpu_seconds([&](const device::Stream& stream) {
           static_cast<void>(spectral::cuda::linear({box, stream}));
         }));
  }

  static constexpr double kTransformUnits = static_cast<double>(kVariables) * (1 << kVariables);

  choice::Calibration result_ = choice::built_in();
  threads::ThreadPool pool_{platform::usable_processors()};
  std::optional<Gpu> gpu_;
};

}  // namespace

choice::Calibration measure_calibration() {
  return Calibrator().measure();
}

}  // namespace fugu::cli
