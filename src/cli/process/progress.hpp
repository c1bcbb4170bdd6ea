// The progress display: on standard error, beside the work, without touching it.
//
// Redrawn five times a second on a terminal; a line every five seconds with --progress where there is none;
// one line for each SIGUSR1 in any case.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "cli/options.hpp"
#include "fugu/stream/pump.hpp"

namespace fugu::cli {

enum class ProgressStyle : std::uint8_t { on_request, redrawn, lines };

// Throws Error{usage} for --progress with --no-progress.
ProgressStyle progress_style(const Arguments& arguments);

class Progress {
 public:
  // `total_bytes`: what will be read, where it is known.
  // Other things than bytes may be counted: `unit` names them.
  Progress(ProgressStyle style, std::optional<std::uint64_t> total_bytes, std::string_view unit = "B");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  stream::PumpCounters& counters() { return counters_; }

 private:
  void watch();
  void show(bool redrawn) const noexcept;
  std::string text() const;

  ProgressStyle style_;
  std::optional<std::uint64_t> total_bytes_;
  std::string_view unit_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  stream::PumpCounters counters_;
  std::atomic<bool> done_ = false;
  std::thread watcher_;
};

// "1.23 GB"
std::string bytes_text(double bytes);
std::string amount_text(double amount, std::string_view unit);

}  // namespace fugu::cli
