#include "cli/process/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "cli/process/console.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/platform/posix/signals.hpp"

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
  const sigset_t request = platform::signals_of({SIGUSR1});
  return ::sigtimedwait(&request, nullptr, &longest) == SIGUSR1;
}

bool is_dumb() {
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) == "dumb";
}

// Of a line of the terminal; its last column stays free, since some terminals wrap there.
std::size_t columns() {
  winsize size{};
  const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return is_known ? size.ws_col - 1U : std::string::npos;
}

std::atomic<int> syncs = 0;

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
    : style_(style), total_bytes_(total_bytes), unit_(unit) {
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::exception&) {  // the work goes on without a display
  }
}

Progress::~Progress() {
  done_ = true;
  if (watcher_.joinable()) {
    ::pthread_kill(watcher_.native_handle(), SIGUSR1);  // ends the wait
    watcher_.join();
  }
  if (style_ == ProgressStyle::redrawn) clear_status();
  if (style_ == ProgressStyle::lines) show(false);
}

// The line is omitted if there is no memory for it.
void Progress::show(bool redrawn) noexcept {
  try {
    redrawn ? draw_status(text(columns())) : say(text(std::string::npos));
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

// Fields are left out where they do not fit.
std::string Progress::text(std::size_t columns) {
  const auto first_that_fits = [&](std::initializer_list<std::string> texts) {
    const auto fits = [&](const std::string& text) { return text.size() <= columns; };
    const auto found = std::ranges::find_if(texts, fits);
    return found != texts.end() ? *found : "";
  };
  const std::uint64_t bytes =
      total_bytes_ ? std::min(counters_.bytes_read.load(), *total_bytes_) : counters_.bytes_read.load();
  const auto done = static_cast<double>(bytes);
  const auto total = static_cast<double>(total_bytes_.value_or(0));
  const std::string percent = total > 0 ? fmt::format("{:.0f} %", 100 * done / total) : "";
  const std::string part =
      total > 0 ? fmt::format("{} of {}, {}", amount_text(done, unit_), amount_text(total, unit_), percent)
                : amount_text(done, unit_);
  if (auth::key_derivations_under_way() != 0) {
    rate_.restart(RecentRate::Clock::now(), bytes);
    if (bytes == 0) return first_that_fits({"deriving the key"});
    return first_that_fits({part + ", deriving the key", "deriving the key"});
  }
  if (syncs != 0 && bytes == total_bytes_.value_or(bytes))
    return first_that_fits({part + ", writing to the disk", "writing to the disk"});
  rate_.add(RecentRate::Clock::now(), bytes);
  const double rate = rate_.bytes_per_second();
  const std::string speed = amount_text(rate, unit_) + "/s";
  if (total <= 0) return first_that_fits({fmt::format("{}, {}", part, speed), part});
  const std::string left = rate > 0 ? duration_text((total - done) / rate) : "?";
  return first_that_fits({fmt::format("{}, {}, {} left", part, speed, left),
                          fmt::format("{}, {} left", part, left), fmt::format("{}, {} left", percent, left),
                          percent});
}

Syncing::Syncing() noexcept {
  ++syncs;
}

Syncing::~Syncing() {
  --syncs;
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
