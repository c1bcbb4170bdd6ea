#include "cli/process/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "cli/process/console.hpp"
#include "fugu/auth/kdf.hpp"

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

// Waits at most `longest` for SIGUSR1, which every thread of this program blocks.
bool asked_within(const timespec& longest) {
  sigset_t request;
  ::sigemptyset(&request);
  ::sigaddset(&request, SIGUSR1);
  return ::sigtimedwait(&request, nullptr, &longest) == SIGUSR1;
}

bool is_dumb() {
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) == "dumb";
}

// The part that fits on one line of the terminal; its last column stays free, since some terminals wrap
// there.
std::string fitting(std::string text) {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
    text.resize(std::min<std::size_t>(text.size(), size.ws_col - 1U));
  return text;
}

}  // namespace

void RecentRate::add(Clock::time_point now, std::uint64_t bytes) {
  constexpr std::chrono::seconds kRecent{5};
  samples_.push_back({now, bytes});
  while (samples_.size() > 2 && now - samples_[1].when > kRecent) samples_.pop_front();
}

void RecentRate::restart(Clock::time_point now, std::uint64_t bytes) {
  samples_.assign(1, {now, bytes});
}

double RecentRate::bytes_per_second() const {
  const double seconds = Seconds(samples_.back().when - samples_.front().when).count();
  return seconds > 0 ? static_cast<double>(samples_.back().bytes - samples_.front().bytes) / seconds : 0;
}

ProgressStyle progress_style(const Arguments& arguments) {
  if (arguments.has("no-progress") || arguments.has("quiet")) return ProgressStyle::on_request;
  if (::isatty(STDERR_FILENO) != 0 && !is_dumb()) return ProgressStyle::redrawn;
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

// The line is omitted if there is no memory for it.
void Progress::show(bool redrawn) noexcept {
  try {
    redrawn ? draw_status(fitting(text())) : say(text());
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

std::string Progress::text() {
  const std::uint64_t bytes =
      total_bytes_ ? std::min(counters_.bytes_read.load(), *total_bytes_) : counters_.bytes_read.load();
  const auto done = static_cast<double>(bytes);
  const auto total = static_cast<double>(total_bytes_.value_or(0));
  const std::string part = total > 0 ? fmt::format("{} of {}, {:.0f} %", amount_text(done, unit_),
                                                   amount_text(total, unit_), 100 * done / total)
                                     : amount_text(done, unit_);
  if (auth::key_derivations_under_way() != 0) {
    rate_.restart(RecentRate::Clock::now(), bytes);
    return bytes == 0 ? "deriving the key" : part + ", deriving the key";
  }
  rate_.add(RecentRate::Clock::now(), bytes);
  const double rate = rate_.bytes_per_second();
  if (total <= 0) return fmt::format("{}, {}/s", part, amount_text(rate, unit_));
  return fmt::format("{}, {}/s, {} left", part, amount_text(rate, unit_),
                     rate > 0 ? duration_text((total - done) / rate) : "?");
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
