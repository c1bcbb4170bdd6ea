// The common part of a subcommand's operations.
#include "cli/operations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/process/progress.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

constexpr std::string_view kOptionsOfEvery[] = {"output",   "force",       "threads", "engine",
                                                "progress", "no-progress", "quiet",   "verbose"};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void refuse_unused_options(const Arguments& arguments, std::string_view operation,
                           std::span<const std::string_view> own) {
  for (const OptionGroup* group : arguments.subcommand().groups) {
    for (const OptionSpec& option : group->options) {
      if (!arguments.has(option.name) || is_among(own, option.name) || is_among(kOptionsOfEvery, option.name))
        continue;
      throw Error(Errc::usage, fmt::format("--{} means nothing to {}", option.name, operation));
    }
  }
  static_cast<void>(thread_count(arguments));
  static_cast<void>(progress_style(arguments));
}

}  // namespace fugu::cli
