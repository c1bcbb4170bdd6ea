#include "fugu/engine/calibration.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <locale>
#include <sstream>
#include <vector>

#include "fugu/error.hpp"

namespace fugu::engine {
namespace {

constexpr std::string_view kTitle = "fugu calibration 2";
static_assert(kOpCount == static_cast<std::size_t>(Op::cfb_decrypt) + 1, "one for each Op");

constexpr std::array<const char*, kOpCount> kOpNames{"ecb_encrypt", "ecb_decrypt", "ctr", "cbc_decrypt",
                                                     "cfb_decrypt"};
constexpr std::size_t kSmallBytes = std::size_t{64} << 10;
constexpr std::size_t kLargeBytes = std::size_t{32} << 20;

double seconds_of(Engine& engine, Op op, const Segment& segment) {
  const auto start = std::chrono::steady_clock::now();
  engine.run(op, {&segment, 1});
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double least_seconds(Engine& engine, Op op, const cipher::Schedule& schedule, std::span<std::byte> data) {
  Segment segment;
  segment.schedule = &schedule;
  segment.in = data;
  segment.out = data;
  double least = seconds_of(engine, op, segment);
  for (int i = 0; i < 2; ++i) least = std::min(least, seconds_of(engine, op, segment));
  return least;
}

bool read_pace(std::istream& in, Pace& pace) {
  return static_cast<bool>(in >> pace.seconds_per_call >> pace.bytes_per_second) &&
         pace.seconds_per_call >= 0 && pace.bytes_per_second >= 0;
}

}  // namespace

bool Calibration::gpu_is_faster(Op op, std::uint64_t bytes, CallMemory memory) const {
  const Pace& on_cpu = cpu[static_cast<std::size_t>(op)];
  const Pace& on_gpu = (memory == CallMemory::engine ? gpu : gpu_ordinary)[static_cast<std::size_t>(op)];
  if (on_cpu.bytes_per_second <= 0 || on_gpu.bytes_per_second <= 0) return false;
  return on_gpu.seconds(bytes) < on_cpu.seconds(bytes);
}

std::string to_text(const Calibration& calibration) {
  std::ostringstream out;
  out.exceptions(std::ios::badbit);
  out.imbue(std::locale::classic());
  out << kTitle << "\nmachine " << calibration.machine << "\ngpu_start " << calibration.gpu_start_seconds
      << '\n';
  for (std::size_t op = 0; op < kOpCount; ++op) {
    out << kOpNames[op];
    for (const Pace& pace : {calibration.cpu[op], calibration.gpu[op], calibration.gpu_ordinary[op]})
      out << ' ' << pace.seconds_per_call << ' ' << pace.bytes_per_second;
    out << '\n';
  }
  return out.str();
}

std::optional<Calibration> parse_calibration(std::string_view text, std::string_view machine) {
  std::istringstream in{std::string(text)};
  in.exceptions(std::ios::badbit);  // otherwise a stream swallows std::bad_alloc
  in.imbue(std::locale::classic());
  std::string line;
  if (!std::getline(in, line) || line != kTitle) return std::nullopt;
  Calibration calibration;
  calibration.machine = machine;
  if (!std::getline(in, line) || line != "machine " + calibration.machine) return std::nullopt;
  std::string name;
  if (!(in >> name >> calibration.gpu_start_seconds) || name != "gpu_start") return std::nullopt;
  for (std::size_t op = 0; op < kOpCount; ++op) {
    if (!(in >> name) || name != kOpNames[op]) return std::nullopt;
    for (auto* paces : {&calibration.cpu, &calibration.gpu, &calibration.gpu_ordinary})
      if (!read_pace(in, (*paces)[op])) return std::nullopt;
  }
  return calibration;
}

std::optional<Calibration> load_calibration(const std::string& path, std::string_view machine) {
  std::ifstream in(path);
  std::string text;
  for (std::array<char, 4096> part; in.read(part.data(), part.size()), in.gcount() > 0;)
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  return parse_calibration(text, machine);
}

bool save_calibration(const std::string& path, const Calibration& calibration) noexcept {
  try {
    const std::string fresh = path + ".new";
    std::error_code ignored;  // a file that cannot be made is an error anyway
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    {
      std::ofstream out(fresh, std::ios::trunc);
      out << to_text(calibration);
      out.close();
      if (!out) return false;
    }
    return std::rename(fresh.c_str(), path.c_str()) == 0;
  } catch (...) {
    return false;
  }
}

Pace measure_pace(Engine& engine, Op op, CallMemory kind) {
  const std::vector<std::byte> key(16, std::byte{1});
  cipher::Schedule schedule;
  cipher::expand(key, schedule);
  const Chunk memory =
      kind == CallMemory::engine ? engine.allocate(kLargeBytes) : allocate_host_chunk(kLargeBytes);
  std::fill_n(memory.data(), kLargeBytes, std::byte{0x6b});
  const double small = least_seconds(engine, op, schedule, memory.span().first(kSmallBytes));
  const double large = least_seconds(engine, op, schedule, memory.span());
  Pace pace;
  pace.bytes_per_second = static_cast<double>(kLargeBytes - kSmallBytes) / std::max(large - small, 1e-9);
  pace.seconds_per_call = std::max(0.0, small - static_cast<double>(kSmallBytes) / pace.bytes_per_second);
  return pace;
}

}  // namespace fugu::engine
