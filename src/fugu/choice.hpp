// CPU or GPU: the one rule of `auto`, for ciphers, spectra and S-boxes. Work goes to a GPU if the GPU's start
// and its time for the work are less than the CPU's time. Engines and spectra both include this, so it knows
// neither.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/export.hpp"

namespace fugu::choice {

// Work that both can do, and the unit in which it is counted.
enum class WorkKind : std::uint8_t {
  cipher,        // a byte from file to file
  nonlinearity,  // a value times a variable, n 2^n per function; degree and histogram included
  walsh,         // the same, for a transform from host memory to host memory
  boxes,         // a second of one CPU core: tables of S-boxes
};
inline constexpr std::size_t kRatedKinds = 3;  // all kinds but ciphers, whose rates are those of engines

// Seconds per unit; for ciphers without the reading and writing of files.
struct Rates {
  double core;  // seconds on one CPU core
  double gpu;
};

struct Amount {
  WorkKind work;
  double units = 0;
  unsigned threads = 1;          // of the CPU
  double files = 1;              // for ciphers
  bool gpu_has_started = false;  // in this process
  Rates of_engines{};            // for ciphers: those of the two engines
};

struct EngineRate {
  std::string name;
  double seconds;  // per byte, on one CPU core or the GPU

  friend bool operator==(const EngineRate&, const EngineRate&) = default;
};

struct FUGU_EXPORT Calibration {
  double gpu_start_seconds;  // of a whole program, its end included
  std::array<Rates, kRatedKinds> rates;
  std::vector<EngineRate> engines = {};  // those that were measured

  // The seconds of the engine of that name, or `built_in` if it was not measured.
  double seconds_of(std::string_view engine, double built_in) const noexcept;

  Rates& rates_of(WorkKind work) { return rates.at(static_cast<std::size_t>(work) - 1); }

  double cpu_seconds(const Amount& amount) const noexcept;
  double gpu_seconds(const Amount& amount) const noexcept;
  bool gpu_is_faster(const Amount& amount) const noexcept;
};

// The figures by which auto decides until a machine has been measured.
FUGU_EXPORT const Calibration& built_in() noexcept;

// A text with a fact per line, for the machine of that name. Parsing returns nothing for malformed text and
// for that of another machine.
FUGU_EXPORT std::string to_text(const Calibration& calibration, std::string_view machine);
FUGU_EXPORT std::optional<Calibration> parse(std::string_view text, std::string_view machine);

}  // namespace fugu::choice
