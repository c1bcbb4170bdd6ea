// The measurements that `auto` decides by: how fast a machine's CPU and GPU are from host memory to host
// memory.
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

// The model: a call of n bytes takes seconds_per_call + n / bytes_per_second.
struct Pace {
  double seconds_per_call = 0;
  double bytes_per_second = 0;  // 0: not measured

  double seconds(std::uint64_t bytes) const {
    return seconds_per_call + static_cast<double>(bytes) / bytes_per_second;
  }
};

// Where a call's data lies: in memory that an engine allocated or pinned, or elsewhere.
enum class CallMemory : std::uint8_t { engine, ordinary };

struct FUGU_EXPORT Calibration {
  std::string machine;  // the engines that were measured; another machine measures again
  std::array<Pace, kOpCount> cpu;
  std::array<Pace, kOpCount> gpu;           // from and to the engine's memory
  std::array<Pace, kOpCount> gpu_ordinary;  // from and to other memory
  double gpu_start_seconds = 0;

  // False unless both were measured.
  bool gpu_is_faster(Op op, std::uint64_t bytes, CallMemory memory) const;
};

// A short text, one fact per line. Parsing returns nothing for malformed text and for that of another
// machine.
FUGU_EXPORT std::string to_text(const Calibration& calibration);
FUGU_EXPORT std::optional<Calibration> parse_calibration(std::string_view text, std::string_view machine);

// Loading returns nothing when the file is missing, unreadable or of another machine. Saving writes a new
// file and renames it; failing to save is not an error.
FUGU_EXPORT std::optional<Calibration> load_calibration(const std::string& path, std::string_view machine);
FUGU_EXPORT bool save_calibration(const std::string& path, const Calibration& calibration) noexcept;

// Runs `engine` for a few milliseconds.
FUGU_EXPORT Pace measure_pace(Engine& engine, Op op, CallMemory memory = CallMemory::engine);

}  // namespace fugu::engine
