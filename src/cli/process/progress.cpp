#include "cli/process/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

#include "cli/process/console.hpp"

namespace fugu::cli {
namespace {

using Seconds = std::chrono::duration<double>;

timespec tick(ProgressStyle style) {
  if (style == ProgressStyle::redrawn) return {0, 200'000'000};
  return {5, 0};
}

// "1:02:03"
std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds < 0 ? 0 : seconds + 0.5);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

// Waits for SIGUSR1, which every thread of this program blocks, no longer than one tick.
bool asked_within(const timespec& longest) {
  sigset_t request;
  ::sigemptyset(&request);
  ::sigaddset(&request, SIGUSR1);
  return ::sigtimedwait(&request, nullptr, &longest) == SIGUSR1;
}

}  // namespace

ProgressStyle progress_style(const Arguments& arguments) {
  refuse_together(arguments, {"progress", "no-progress"});
  refuse_together(arguments, {"progress", "quiet"});
  if (arguments.has("no-progress") || arguments.has("quiet")) return ProgressStyle::on_request;
  if (::isatty(STDERR_FILENO) != 0) return ProgressStyle::redrawn;
  return arguments.has("progress") ? ProgressStyle::lines : ProgressStyle::on_request;
}

Progress::Progress(ProgressStyle style, std::optional<std::uint64_t> total_bytes, std::string_view unit)
    : style_(style), total_bytes_(total_bytes), unit_(unit), watcher_([this] { watch(); }) {}

Progress::~Progress() {
  done_ = true;
  ::pthread_kill(watcher_.native_handle(), SIGUSR1);  // ends the wait
  watcher_.join();
  if (style_ == ProgressStyle::redrawn) clear_status();
  if (style_ == ProgressStyle::lines) show(false);
}

// Without memory for it, the line is left out.
void Progress::show(bool redrawn) const noexcept {
  try {
    redrawn ? draw_status(text()) : say(text());
  } catch (...) {
  }
}

void Progress::watch() {
  const timespec longest = tick(style_);
  for (;;) {
    const bool asked = asked_within(longest);
    if (done_) return;
    if (asked || style_ != ProgressStyle::on_request) show(!asked && style_ == ProgressStyle::redrawn);
  }
}

std::string Progress::text() const {
  const auto done = static_cast<double>(counters_.bytes_read.load());
  const double seconds = Seconds(std::chrono::steady_clock::now() - begin_).count();
  const double rate = seconds > 0 ? done / seconds : 0;
  if (!total_bytes_ || *total_bytes_ == 0)
    return fmt::format("{}, {}/s", amount_text(done, unit_), amount_text(rate, unit_));
  const auto total = static_cast<double>(*total_bytes_);
  const std::string left = rate > 0 ? duration_text((total - done) / rate) : "?";
  return fmt::format("{} of {}, {:.0f} %, {}/s, {} left", amount_text(done, unit_), amount_text(total, unit_),
                     100 * done / total, amount_text(rate, unit_), left);
}

std::string bytes_text(double bytes) {
  return amount_text(bytes, "B");
}

std::string amount_text(double amount, std::string_view unit) {
  if (amount < 1000) return fmt::format("{:.0f} {}", amount, unit);
  constexpr const char* kPrefixes[] = {"k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  for (amount /= 1000; amount >= 999.5 && prefix + 1 < std::size(kPrefixes); amount /= 1000) ++prefix;
  return fmt::format("{:.3g} {}{}", amount, kPrefixes[prefix], unit);
}

}  // namespace fugu::cli
