// The transparency order, over the sign vectors beta in Gray code order.
#include "fugu/spectral/sbox/transparency.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <span>

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
    for (const std::int32_t sum : sums_) total_ += static_cast<std::uint32_t>(std::abs(sum));
  }

  void operator()(std::uint64_t index) {
    const auto target = static_cast<std::uint32_t>(core::gray_code(index));
    for (std::uint32_t change = target ^ beta_; change != 0; change &= change - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(change));
      if ((target >> j & 1) != 0) {
        total_ = add_twice(coordinates_[j], std::minus());
      } else {
        total_ = add_twice(coordinates_[j], std::plus());
      }
    }
    beta_ = target;
    const auto outputs = static_cast<int>(coordinates_.size());
    largest_ = std::max(largest_, transparency_of(sums_.size(), outputs, beta_, total_));
  }

  double largest() const { return largest_; }

 private:
  // `sum` is + or -. Returns the sum of magnitudes; that many of them, at most m 2^n each, fit 32 bits.
  template <class Sum>
  std::uint64_t add_twice(std::span<const std::int32_t> row, Sum sum) {
    constexpr std::size_t kAtATime = 128;
    static_assert(kMaxTransparencyOutputs * kAtATime << kMaxInputs < std::uint64_t{1} << 32);
    std::uint64_t total = 0;
    for (std::size_t first = 0; first < row.size(); first += kAtATime) {
      const std::size_t last = std::min(first + kAtATime, row.size());
      std::uint32_t part = 0;
      for (std::size_t a = first; a < last; ++a) {
        sums_[a] = sum(sums_[a], 2 * row[a]);
        part += static_cast<std::uint32_t>(std::abs(sums_[a]));
      }
      total += part;
    }
    return total;
  }

  const Coordinates& coordinates_;
  std::vector<std::int32_t> sums_;
  std::uint64_t total_ = 0;  // of the magnitudes
  std::uint32_t beta_ = 0;
  double largest_ = -kMaxOutputs;
};

}  // namespace

double transparency_of(std::size_t size, int outputs, std::uint32_t beta, std::uint64_t total) {
  const auto n = static_cast<double>(size);
  return std::abs(outputs - 2 * std::popcount(beta)) - static_cast<double>(total) / (n * n - n);
}

double transparency_order(const SBox& box, const SBoxOptions& options) {
  if (box.outputs() > kMaxTransparencyOutputs) {
    throw Error(Errc::usage, "the transparency order of " + std::to_string(box.outputs()) +
                                 " outputs: at most " + std::to_string(kMaxTransparencyOutputs) +
                                 " are possible");
  }
  const Coordinates coordinates = coordinate_autocorrelations(box);
  double largest = -kMaxOutputs;
  // beta and its complement have the same value.
  detail::for_each_row(
      0, std::size_t{1} << (box.outputs() - 1), box.size(), options, [&] { return SignWorker(coordinates); },
      [&](const SignWorker& worker) { largest = std::max(largest, worker.largest()); });
  return largest;
}

}  // namespace fugu::spectral
