#include "cli/spectral/pace.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <locale>
#include <utility>

namespace fugu::cli {
namespace {

constexpr const char* kTitle = "fugu spectral 1";

// Estimates for a first run: one core's pace between those beside an H100 and an H200, and the start of
// either (the packed functions of 10 to 30 variables in tools/bench/results/auto_spectral_h200.csv).
constexpr double kStepSeconds = 2.2e-10;
constexpr double kGpuStartSeconds = 0.32;
// Copying the bits to a GPU and its kernels take little time beside the start, and about the same on all GPUs
// worth using.
constexpr double kGpuValueSeconds = 3e-11;
constexpr std::uint64_t kLeastValues = std::uint64_t{1} << 24;

// A shorter time is what the machine can do. A longer one may be a busy machine's or a first start's: taken
// whole, it would leave an engine out for good, since only runs on it measure it again.
double learned(double known, double measured) {
  return measured < known ? measured : known + (measured - known) / 4;
}

bool is_news(double known, double fresh) {
  return std::abs(fresh - known) > 0.02 * known;
}

double steps(std::uint64_t values, int variables) {
  return static_cast<double>(values) * variables;
}

}  // namespace

NonlinearityPace::NonlinearityPace(std::string path, unsigned threads)
    : path_(std::move(path)),
      threads_(threads),
      cpu_step_seconds_(kStepSeconds / threads),
      gpu_start_seconds_(kGpuStartSeconds) {
  load();
}

bool NonlinearityPace::gpu_is_faster(std::uint64_t values, int variables) const {
  return gpu_start_seconds_ + static_cast<double>(values) * kGpuValueSeconds <
         steps(values, variables) * cpu_step_seconds_;
}

void NonlinearityPace::keep_cpu(std::uint64_t values, int variables, double seconds) {
  const double step_seconds = learned(cpu_step_seconds_, seconds / steps(values, variables));
  if (values < kLeastValues || !is_news(cpu_step_seconds_, step_seconds)) return;
  cpu_step_seconds_ = step_seconds;
  save();
}

void NonlinearityPace::keep_gpu(std::uint64_t values, double seconds) {
  const double measured = seconds - static_cast<double>(values) * kGpuValueSeconds;
  const double start_seconds = learned(gpu_start_seconds_, measured);
  if (measured <= 0 || !is_news(gpu_start_seconds_, start_seconds)) return;
  gpu_start_seconds_ = start_seconds;
  save();
}

// A missing, unreadable or foreign file is ignored, and so is one for another number of threads.
void NonlinearityPace::load() {
  std::ifstream in(path_);
  in.imbue(std::locale::classic());
  std::string title, name;
  unsigned threads = 0;
  double cpu = 0, gpu = 0;
  if (!std::getline(in, title) || title != kTitle) return;
  if (!(in >> name >> threads >> cpu >> gpu) || name != "nonlinearity" || threads != threads_) return;
  if (cpu <= 0 || gpu <= 0) return;
  cpu_step_seconds_ = cpu;
  gpu_start_seconds_ = gpu;
}

void NonlinearityPace::save() const {
  if (path_.empty()) return;
  const std::string fresh = path_ + ".new";
  std::error_code ignored;  // without a cache it is measured each time
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
  {
    std::ofstream out(fresh, std::ios::trunc);
    out.imbue(std::locale::classic());
    out << kTitle << "\nnonlinearity " << threads_ << ' ' << cpu_step_seconds_ << ' ' << gpu_start_seconds_
        << '\n';
    out.close();
    if (!out) return;
  }
  static_cast<void>(std::rename(fresh.c_str(), path_.c_str()));
}

}  // namespace fugu::cli
