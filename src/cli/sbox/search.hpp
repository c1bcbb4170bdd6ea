// What the searches of fugu sbox compare and of Walsh-zero spaces share.
#pragma once

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
  // `what`: the steps, "guesses at ...". A step takes at most `step_seconds`, all that are allowed `seconds`;
  // 0: there is no limit.
  SearchWork(const Arguments& arguments, std::string what, double step_seconds, double seconds)
      : arguments_(arguments), what_(std::move(what)), step_seconds_(step_seconds), seconds_(seconds) {}

  // For one search, during which this must exist.
  spectral::SearchOptions options();

  void advance(std::uint64_t steps);

 private:
  void begin();
  std::string_view unit() const { return std::string_view(what_).substr(0, what_.find(' ')); }

  const Arguments& arguments_;
  std::string what_;
  double step_seconds_;
  double seconds_;
  std::uint64_t steps_ = 0;
  std::unique_ptr<LongWork> work_;
};

// "A(x) = M x + 0x1f, M =", and the rows of M from y_0 down, each with its column of x_0 first.
std::string map_text(std::string_view name, const spectral::AffineMap& map);

}  // namespace fugu::cli
