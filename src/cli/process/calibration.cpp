#include "cli/process/calibration.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/process/console.hpp"
#include "fugu/device/device.hpp"

namespace fugu::cli {
namespace {

// By the XDG base directory specification; empty without a home.
std::filesystem::path cache_directory() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') return cache;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".cache";
  return {};
}

std::filesystem::path calibration_file() {
  const std::filesystem::path cache = cache_directory();
  return cache.empty() ? cache : cache / "fugu" / "engines";
}

// Machines may share a home directory.
std::string machine() {
  utsname names{};
  return ::uname(&names) == 0 ? names.nodename : "";
}

choice::Calibration load() {
  std::ifstream in(calibration_file());
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return choice::parse(text, machine()).value_or(choice::built_in());
}

}  // namespace

const choice::Calibration& calibration() {
  static const choice::Calibration loaded = load();
  return loaded;
}

bool gpu_is_faster(const choice::Amount& amount) {
  return device::built_with_cuda() && calibration().gpu_is_faster(amount);
}

std::string calibration_text(const choice::Calibration& calibration) {
  return choice::to_text(calibration, machine());
}

void save_calibration(const choice::Calibration& calibration) {
  const std::filesystem::path path = calibration_file();
  if (path.empty()) throw Error(Errc::io, "there is no home directory to keep a calibration in");
  std::error_code ignored;  // a file that cannot be made is an error anyway
  std::filesystem::create_directories(path.parent_path(), ignored);
  const std::string fresh = path.string() + ".new";
  std::ofstream out(fresh, std::ios::trunc);
  out << calibration_text(calibration);
  out.close();
  if (!out || std::rename(fresh.c_str(), path.c_str()) != 0)
    throw system_error(fmt::format("{}: cannot be written", path.string()), errno);
}

}  // namespace fugu::cli
