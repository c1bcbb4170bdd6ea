// The progress display on standard error, which runs beside the work without affecting it.
//
// On a terminal it is redrawn five times a second, within the terminal's width; on a dumb one or none,
// --progress prints a line every five seconds; each SIGUSR1 prints one line in any case. The rate is that of
// the last seconds, and does not count the time of key derivations: the display shows these instead.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
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
  void restart(Clock::time_point now, std::uint64_t bytes);  // earlier samples do not count
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
  // `total_bytes`: the bytes to be read, if known. Things other than bytes may be counted: `unit` names them.
  Progress(ProgressStyle style, std::optional<std::uint64_t> total_bytes, std::string_view unit = "B");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  stream::PumpCounters& counters() { return counters_; }

 private:
  void watch();
  void show(bool redrawn) noexcept;
  std::string text(std::size_t columns);

  ProgressStyle style_;
  std::optional<std::uint64_t> total_bytes_;
  std::string_view unit_;
  RecentRate rate_;
  stream::PumpCounters counters_;
  std::atomic<bool> done_ = false;
  std::thread watcher_;
};

// While one lives, a complete output is written to the disk.
class Syncing {
 public:
  Syncing() noexcept;
  ~Syncing();
  Syncing(const Syncing&) = delete;
  Syncing& operator=(const Syncing&) = delete;
};

// "1.23 GB"
std::string bytes_text(double bytes);
std::string amount_text(double amount, std::string_view unit);

}  // namespace fugu::cli
