#include "cli/sbox/engine/long_work.hpp"

#include <fmt/format.h>

#include "cli/process/console.hpp"

namespace fugu::cli {
namespace {

constexpr double kLongSeconds = 10;

ProgressStyle announced(const Arguments& arguments, const std::string& what, double seconds) {
  if (seconds > kLongSeconds) say_note(fmt::format("{} take {}", what, estimate_text(seconds)));
  return progress_style(arguments);
}

}  // namespace

std::string estimate_text(double seconds) {
  if (seconds < 120) return fmt::format("about {:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("about {:.0f} min", seconds / 60);
  return fmt::format("about {:.0f} h", seconds / 3600);
}

LongWork::LongWork(const Arguments& arguments, const std::string& what, std::uint64_t total, double seconds,
                   std::string_view unit)
    : progress_(announced(arguments, what, seconds), total, unit) {}

}  // namespace fugu::cli
