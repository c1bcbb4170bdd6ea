// What the searches of fugu sbox compare and of Walsh-zero spaces share.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "cli/sbox/engine.hpp"
#include "fugu/spectral/equivalence/equivalence.hpp"

namespace fugu::cli {

// The limit of a search; 0 for none, with --exhaustive.
double search_seconds(const Arguments& arguments);

// The display of a search, from its third second on: most end before.
class SearchWork {
 public:
  // `what`: the steps, "guesses at ...", at most so many, which take about `seconds`; 0: there is no limit.
  SearchWork(const Arguments& arguments, std::string what, std::uint64_t most_steps, double seconds)
      : arguments_(arguments), what_(std::move(what)), most_steps_(most_steps), seconds_(seconds) {}

  // For one search, during which this must exist.
  spectral::SearchOptions options();

  void advance(std::uint64_t steps);

 private:
  using Clock = std::chrono::steady_clock;

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  double estimate() const;
  void show();

  const Arguments& arguments_;
  std::string what_;
  std::uint64_t most_steps_;
  double seconds_;
  Clock::time_point begin_ = Clock::now();
  std::uint64_t steps_ = 0;
  std::unique_ptr<LongWork> work_;
};

// "A(x) = M x + 0x1f, M =", and the rows of M from y_0 down, each with its column of x_0 first.
std::string map_text(std::string_view name, const spectral::AffineMap& map);

}  // namespace fugu::cli
