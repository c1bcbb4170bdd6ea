#include "fugu/choice.hpp"

#include <algorithm>
#include <locale>
#include <sstream>

namespace fugu::choice {
namespace {

constexpr std::string_view kTitle = "fugu calibration 4";

constexpr std::array<const char*, kRatedKinds> kNames{"nonlinearity", "walsh", "boxes"};

// No engine is faster than writing: threads that write to one file in memory wait for each other, and take
// this per byte together (file_writes_h200.csv at 25ce3044). A disk is slower still, and no GPU would change
// that.
constexpr double kWriteSeconds = 3e-10;

// What each file costs a GPU besides its bytes, mostly for pinned memory (files of 256 MiB in
// bench_file_h200.csv at 25ce3044).
constexpr double kFileSeconds = 0.06;

double least_rate(WorkKind work) {
  return work == WorkKind::cipher ? kWriteSeconds : 0;
}

bool is_time(double seconds) {
  return seconds > 0;
}

const Rates& rates_in(const Calibration& calibration, const Amount& amount) {
  return amount.work == WorkKind::cipher ? amount.of_engines
                                         : calibration.rates[static_cast<std::size_t>(amount.work) - 1];
}

}  // namespace

double Calibration::seconds_of(std::string_view engine, double built_in) const noexcept {
  const auto found = std::ranges::find(engines, engine, &EngineRate::name);
  return found != engines.end() ? found->seconds : built_in;
}

double Calibration::cpu_seconds(const Amount& amount) const noexcept {
  const double rate = rates_in(*this, amount).core / amount.threads;
  return amount.units * std::max(rate, least_rate(amount.work));
}

double Calibration::gpu_seconds(const Amount& amount) const noexcept {
  const double start = amount.gpu_has_started ? 0 : gpu_start_seconds;
  const double files = amount.work == WorkKind::cipher ? amount.files * kFileSeconds : 0;
  return start + files + amount.units * std::max(rates_in(*this, amount).gpu, least_rate(amount.work));
}

bool Calibration::gpu_is_faster(const Amount& amount) const noexcept {
  return gpu_seconds(amount) < cpu_seconds(amount);
}

// Hosts of an H100 and an H200 with 16 cores. The start: the shortest runs in auto_spectral_h200.csv (at
// 25ce3044). Nonlinearity: functions of 28 and 30 variables there and in file_to_answer_h200_2026-11-26.csv.
// Walsh: 2^26 int32. Boxes: reports of 16 inputs and outputs.
const Calibration& built_in() noexcept {
  static const Calibration calibration{0.31, {{{2.3e-10, 1.5e-12}, {2.5e-10, 3.4e-11}, {1, 0.005}}}};
  return calibration;
}

std::string to_text(const Calibration& calibration, std::string_view machine) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << kTitle << "\nmachine " << machine << "\ngpu_start " << calibration.gpu_start_seconds << '\n';
  for (std::size_t i = 0; i < kRatedKinds; ++i)
    out << kNames[i] << ' ' << calibration.rates[i].core << ' ' << calibration.rates[i].gpu << '\n';
  for (const EngineRate& engine : calibration.engines) out << engine.name << ' ' << engine.seconds << '\n';
  return out.str();
}

std::optional<Calibration> parse(std::string_view text, std::string_view machine) {
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  std::string line;
  if (!std::getline(in, line) || line != kTitle) return std::nullopt;
  if (!std::getline(in, line) || line != "machine " + std::string(machine)) return std::nullopt;
  Calibration calibration = built_in();
  std::string word;
  if (!(in >> word >> calibration.gpu_start_seconds) || word != "gpu_start") return std::nullopt;
  bool valid = is_time(calibration.gpu_start_seconds);
  for (std::size_t i = 0; i < kRatedKinds && valid; ++i) {
    auto& [core, gpu] = calibration.rates[i];
    valid = (in >> word >> core >> gpu) && word == kNames[i] && is_time(core) && is_time(gpu);
  }
  while (valid && in >> word) {
    double seconds = 0;
    valid = (in >> seconds) && is_time(seconds);
    calibration.engines.push_back({word, seconds});
  }
  return valid ? std::optional(calibration) : std::nullopt;
}

}  // namespace fugu::choice
