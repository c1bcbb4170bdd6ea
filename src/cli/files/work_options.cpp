#include "cli/files/work_options.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "cli/process/console.hpp"
#include "fugu/device/device.hpp"

namespace fugu::cli {
namespace {

constexpr std::uint64_t kMinChunkBytes = 4096;
constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{32} << 20;  // a ring of these stays within 256 MiB

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

WorkOptions work_options(const Arguments& arguments) {
  WorkOptions options;
  options.engine = arguments.value("engine").value_or("auto");
  options.threads = thread_count(arguments);
  const std::uint64_t chunk = size_value(arguments, "chunk", kMinChunkBytes, kMaxChunkBytes, 0);
  options.chunk_bytes = static_cast<std::size_t>(chunk / 8 * 8);
  return options;
}

std::uint64_t memory_bytes() {
  std::uint64_t memory = std::numeric_limits<std::uint64_t>::max();
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0)
    memory = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    memory = std::min<std::uint64_t>(memory, limit.rlim_cur);
  return memory;
}

std::uint64_t derivation_memory() {
  std::uint64_t memory = memory_bytes();
  std::uint64_t of_group = 0;  // the file says "max" if there is no limit
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> of_group) memory = std::min(memory, of_group);
  return memory / 4;
}

std::unique_ptr<engine::Engine> make_engine(const WorkOptions& options, unsigned threads,
                                            std::uint64_t expected_bytes, std::size_t expected_files) {
  return engine::make(options.engine, {.threads = threads,
                                       .expected_bytes = expected_bytes,
                                       .expected_files = expected_files,
                                       .calibration = calibration(),
                                       .note = [](std::string_view text) { say_note(text); }});
}

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
