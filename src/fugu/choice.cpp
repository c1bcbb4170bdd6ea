#include "fugu/choice.hpp"

#include <algorithm>
#include <locale>
#include <sstream>

namespace fugu::choice {
namespace {

constexpr std::string_view kTitle = "fugu calibration 3";

constexpr std::array<const char*, kWorks> kNames{"cipher_scalar", "cipher_avx512vbmi", "nonlinearity",
                                                 "walsh", "boxes"};

// No engine is faster than writing: threads that write to one file in memory wait for each other, and take
// this per byte together (file_writes_h200.csv at 25ce3044). A disk is slower still, and no GPU would change
// that.
constexpr double kWriteSeconds = 3e-10;

// What each file costs a GPU besides its bytes, mostly for pinned memory (files of 256 MiB in
// bench_file_h200.csv at 25ce3044).
constexpr double kFileSeconds = 0.06;

// Hosts of an H100 and an H200 with 16 cores. The start: the shortest runs in auto_spectral_h200.csv (at
// 25ce3044). Ciphers: the same files as above. Nonlinearity: functions of 28 and 30 variables there and in
// file_to_answer_h200_2026-11-26.csv. Walsh: 2^26 int32. Boxes: reports of 16 inputs and outputs.
constexpr Calibration kBuiltIn{
    0.31, {{{1.9e-9, 2.2e-11}, {7.7e-10, 2.2e-11}, {2.3e-10, 1.5e-12}, {2.5e-10, 3.4e-11}, {1, 0.005}}}};

bool is_cipher(Work work) {
  return work == Work::cipher_scalar || work == Work::cipher_avx512vbmi;
}

double least_rate(Work work) {
  return is_cipher(work) ? kWriteSeconds : 0;
}

bool is_time(double seconds) {
  return seconds > 0;
}

}  // namespace

double Calibration::cpu_seconds(const Amount& amount) const noexcept {
  const double rate = rates[static_cast<std::size_t>(amount.work)].core / amount.threads;
  return amount.units * std::max(rate, least_rate(amount.work));
}

double Calibration::gpu_seconds(const Amount& amount) const noexcept {
  const double start = amount.gpu_has_started ? 0 : gpu_start_seconds;
  const double files = is_cipher(amount.work) ? amount.files * kFileSeconds : 0;
  const double rate = rates[static_cast<std::size_t>(amount.work)].gpu;
  return start + files + amount.units * std::max(rate, least_rate(amount.work));
}

bool Calibration::gpu_is_faster(const Amount& amount) const noexcept {
  return gpu_seconds(amount) < cpu_seconds(amount);
}

const Calibration& built_in() noexcept {
  return kBuiltIn;
}

std::string to_text(const Calibration& calibration, std::string_view machine) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << kTitle << "\nmachine " << machine << "\ngpu_start " << calibration.gpu_start_seconds << '\n';
  for (std::size_t i = 0; i < kWorks; ++i)
    out << kNames[i] << ' ' << calibration.rates[i].core << ' ' << calibration.rates[i].gpu << '\n';
  return out.str();
}

std::optional<Calibration> parse(std::string_view text, std::string_view machine) {
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  std::string line;
  if (!std::getline(in, line) || line != kTitle) return std::nullopt;
  if (!std::getline(in, line) || line != "machine " + std::string(machine)) return std::nullopt;
  Calibration calibration = kBuiltIn;
  std::string word;
  if (!(in >> word >> calibration.gpu_start_seconds) || word != "gpu_start") return std::nullopt;
  bool valid = is_time(calibration.gpu_start_seconds);
  for (std::size_t i = 0; i < kWorks && valid; ++i) {
    auto& [core, gpu] = calibration.rates[i];
    valid = (in >> word >> core >> gpu) && word == kNames[i] && is_time(core) && is_time(gpu);
  }
  return valid ? std::optional(calibration) : std::nullopt;
}

}  // namespace fugu::choice
