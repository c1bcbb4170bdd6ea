// The transparency order, a sign vector beta after the other in Gray code.
#include "fugu/spectral/sbox/transparency.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "fugu/core/butterfly.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

using Coordinates = std::vector<std::vector<std::int32_t>>;  // [j][a] = r(a,2^j), [j][0] = 0

Coordinates coordinate_autocorrelations(const SBox& box) {
  Coordinates rows;
  for (int j = 0; j < box.outputs(); ++j) {
    const auto r = autocorrelation(component(box, std::uint32_t{1} << j), {.threads = 1});
    rows.emplace_back(r.begin(), r.end());
    rows.back()[0] = 0;
  }
  return rows;
}

// Steps through the Gray codes of consecutive indices.
class SignWorker {
 public:
  explicit SignWorker(const Coordinates& coordinates)
      : coordinates_(coordinates), sums_(coordinates[0].size()) {
    for (const auto& row : coordinates_) std::ranges::transform(sums_, row, sums_.begin(), std::plus());
  }

  void operator()(std::uint64_t index) {
    const auto target = static_cast<std::uint32_t>(core::gray_code(index));
    for (std::uint32_t change = target ^ beta_; change != 0; change &= change - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(change));
      const std::int32_t factor = (target >> j & 1) != 0 ? -2 : 2;
      for (std::size_t a = 0; a < sums_.size(); ++a) sums_[a] += factor * coordinates_[j][a];
    }
    beta_ = target;
    std::int64_t total = 0;
    for (const std::int32_t sum : sums_) total += std::abs(sum);
    const auto size = static_cast<double>(sums_.size());
    const auto outputs = static_cast<int>(coordinates_.size());
    const double value =
        std::abs(outputs - 2 * std::popcount(beta_)) - static_cast<double>(total) / (size * size - size);
    largest_ = std::max(largest_, value);
  }

  double largest() const { return largest_; }

 private:
  const Coordinates& coordinates_;
  std::vector<std::int32_t> sums_;
  std::uint32_t beta_ = 0;
  double largest_ = -kMaxOutputs;
};

}  // namespace

double transparency_order(const SBox& box, const SBoxOptions& options) try {
  if (box.outputs() > kMaxTransparencyOutputs) {
    throw Error(Errc::usage, "the transparency order of " + std::to_string(box.outputs()) +
                                 " outputs: at most " + std::to_string(kMaxTransparencyOutputs) +
                                 " are possible");
  }
  const Coordinates coordinates = coordinate_autocorrelations(box);
  double largest = -kMaxOutputs;
  // beta and its complement have one value.
  detail::for_each_row(
      0, std::size_t{1} << (box.outputs() - 1), box.size(), options, [&] { return SignWorker(coordinates); },
      [&](const SignWorker& worker) { largest = std::max(largest, worker.largest()); });
  return largest;
} catch (...) {
  rethrow_as_error();
}

}  // namespace fugu::spectral
