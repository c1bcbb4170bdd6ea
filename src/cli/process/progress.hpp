// The progress display: on standard error, beside the work, without touching it.
//
// Redrawn five times a second on a terminal, within its width; a line every five seconds with --progress
// where there is none, or one that is dumb; one line for each SIGUSR1 in any case. The rate is that of the
// last seconds, and a key that is being derived counts as no time at all: the display says so instead.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
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

// Bytes per second over the last seconds.
class RecentRate {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RecentRate(Clock::time_point begin = Clock::now()) { samples_.push_back({begin, 0}); }

  void add(Clock::time_point now, std::uint64_t bytes);
  void restart(Clock::time_point now, std::uint64_t bytes);  // what was before does not count
  double bytes_per_second() const;

 private:
  struct Sample {
    Clock::time_point when;
    std::uint64_t bytes;
  };
  std::deque<Sample> samples_;  // never empty
};

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
  void show(bool redrawn) noexcept;
  std::string text();

  ProgressStyle style_;
  std::optional<std::uint64_t> total_bytes_;
  std::string_view unit_;
  RecentRate rate_;
  stream::PumpCounters counters_;
  std::atomic<bool> done_ = false;
  std::thread watcher_;
};

// "1.23 GB"
std::string bytes_text(double bytes);
std::string amount_text(double amount, std::string_view unit);

}  // namespace fugu::cli
