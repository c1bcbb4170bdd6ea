// What `auto` knows of a machine: how fast its CPU and its GPU are from host memory to host memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fugu/engine/engine.hpp"
#include "fugu/export.hpp"

namespace fugu::engine {

inline constexpr std::size_t kOpCount = 5;

// A call of n bytes is taken to last seconds_per_call + n / bytes_per_second.
struct Pace {
  double seconds_per_call = 0;
  double bytes_per_second = 0;  // 0: not measured

  double seconds(std::uint64_t bytes) const {
    return seconds_per_call + static_cast<double>(bytes) / bytes_per_second;
  }
};

// Where a call's data lies: memory that an engine has allocated or pinned, or any other.
enum class CallMemory : std::uint8_t { engine, ordinary };

struct FUGU_EXPORT Calibration {
  std::string machine;  // the engines it was measured on; another machine measures again
  std::array<Pace, kOpCount> cpu;
  std::array<Pace, kOpCount> gpu;           // from and to memory of the engine's
  std::array<Pace, kOpCount> gpu_ordinary;  // from and to any other
  double gpu_start_seconds = 0;

  // False as long as either is not measured.
  bool gpu_is_faster(Op op, std::uint64_t bytes, CallMemory memory) const;
};

// A short text, one line a fact. Parsing gives nothing for a text that is not one, or of another machine.
FUGU_EXPORT std::string to_text(const Calibration& calibration);
FUGU_EXPORT std::optional<Calibration> parse_calibration(std::string_view text, std::string_view machine);

// Files: a missing, unreadable or foreign one is nothing; saving writes a new file and renames it, and a
// failure to save is no failure of the work.
FUGU_EXPORT std::optional<Calibration> load_calibration(const std::string& path, std::string_view machine);
FUGU_EXPORT bool save_calibration(const std::string& path, const Calibration& calibration) noexcept;

// Runs `engine` a few milliseconds.
FUGU_EXPORT Pace measure_pace(Engine& engine, Op op, CallMemory memory = CallMemory::engine);

}  // namespace fugu::engine
