// Exact integers until the last quotient; the transparency order over the sign vectors beta in Gray code
// order.
#include "fugu/spectral/sbox/sidechannel.hpp"

#include <cstdlib>

#include "fugu/core/butterfly.hpp"
#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/integers.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

using detail::Wide;

// `value`, from 0 to 2^126, as a double.
double real_of(Wide value) {
  const double high = static_cast<double>(value.shifted_right(63));
  const auto low = static_cast<std::uint64_t>(value.shifted_right(0)) & ~(std::uint64_t{1} << 63);
  return std::ldexp(high, 63) + static_cast<double>(low);
}

using Coordinates = std::vector<std::vector<std::int32_t>>;

// [j][a] = r(a,2^j), [j][0] = 0.
Coordinates coordinate_autocorrelations(const SBox& box) {
  Coordinates rows;
  for (int j = 0; j < box.outputs(); ++j) {
    const auto r = autocorrelation(component(box, std::uint32_t{1} << j), {.threads = 1});
    rows.emplace_back(r.begin(), r.end());
    rows.back()[0] = 0;
  }
  return rows;
}

// [i][j * N + a] = C_ij(a), [i][j * N] = 0.
Coordinates coordinate_correlations(const SBox& box) {
  const auto outputs = static_cast<std::size_t>(box.outputs());
  Coordinates rows(outputs, std::vector<std::int32_t>(outputs * box.size()));
  const auto signs = [&](std::size_t j) {
    std::vector<std::int64_t> values(box.size());
    for (std::size_t x = 0; x < values.size(); ++x) values[x] = (box[x] >> j & 1) != 0 ? -1 : 1;
    return values;
  };
  for (std::size_t i = 0; i < outputs; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      std::vector<std::int64_t> correlation = signs(i), other = signs(j);
      dyadic_convolve(std::span(correlation), std::span(other), {.threads = 1});
      for (std::size_t a = 1; a < box.size(); ++a)
        rows[i][j * box.size() + a] = rows[j][i * box.size() + a] = static_cast<std::int32_t>(correlation[a]);
    }
  }
  return rows;
}

// The value of a sign vector from the total of magnitudes.
using SignValue = double (*)(std::size_t size, int outputs, std::uint32_t beta, std::uint64_t total);

double revised_transparency_of(std::size_t size, int outputs, std::uint32_t /*beta*/, std::uint64_t total) {
  const auto n = static_cast<double>(size);
  return outputs - static_cast<double>(total) / (n * n - n);
}

// Steps through the Gray codes of consecutive indices.
class SignWorker {
 public:
  SignWorker(std::size_t size, const Coordinates& coordinates, SignValue value)
      : size_(size), coordinates_(coordinates), value_(value), sums_(coordinates[0].size()) {
    for (const auto& row : coordinates_) std::ranges::transform(sums_, row, sums_.begin(), std::plus());
    for (const std::int32_t sum : sums_) total_ += static_cast<std::uint32_t>(std::abs(sum));
  }

  void operator()(std::uint64_t index) {
    const auto target = static_cast<std::uint32_t>(core::gray_code(index));
    for (std::uint32_t change = target ^ beta_; change != 0; change &= change - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(change));
      const bool becomes_minus = (target >> j & 1) != 0;
      total_ =
          becomes_minus ? add_twice(coordinates_[j], std::minus()) : add_twice(coordinates_[j], std::plus());
    }
    beta_ = target;
    const auto outputs = static_cast<int>(coordinates_.size());
    largest_ = std::max(largest_, value_(size_, outputs, beta_, total_));
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

  std::size_t size_;
  const Coordinates& coordinates_;
  SignValue value_;
  std::vector<std::int32_t> sums_;
  std::uint64_t total_ = 0;  // of the magnitudes
  std::uint32_t beta_ = 0;
  double largest_ = -kMaxOutputs;
};

// beta and its complement have the same value.
double largest_of_signs(const SBox& box, const Coordinates& coordinates, SignValue value,
                        const SBoxOptions& options) {
  double largest = -kMaxOutputs;
  detail::for_each_row(
      0, std::size_t{1} << (box.outputs() - 1), coordinates[0].size(), options,
      [&] { return SignWorker(box.size(), coordinates, value); },
      [&](const SignWorker& worker) { largest = std::max(largest, worker.largest()); });
  return largest;
}

void check_transparency(const SBox& box) {
  detail::require_at_most(kMaxTransparencyOutputs, box.outputs(), "the transparency order", "outputs");
}

}  // namespace

// |sum over j of W| <= m N <= 2^25, and the sum of its squares is at most m^2 N^2: the fourth powers add up
// to 2^100 at most.
double signal_to_noise_ratio(const SBox& box, const SBoxOptions& options) {
  std::vector<std::int64_t> sums(box.size());
  for (int j = 0; j < box.outputs(); ++j) {
    const auto spectrum = walsh_spectrum(component(box, std::uint32_t{1} << j),
                                         {.threads = options.threads, .stop = options.stop});
    for (std::size_t a = 0; a < sums.size(); ++a) sums[a] += spectrum[a];
  }
  Wide fourth_powers;
  for (const std::int64_t sum : sums) fourth_powers = fourth_powers + Wide(sum * sum) * Wide(sum * sum);
  const auto size = static_cast<double>(box.size());
  return box.outputs() * size * size / std::sqrt(real_of(fourth_powers));
}

// N kappa(d) = 2 sum of h(x)^2 - 2 sum of h(x) h(x + d), h = wt(S): at most 2^30.
ConfusionCoefficients confusion_coefficients(const SBox& box, const SBoxOptions& options) {
  std::vector<std::int64_t> products(box.size());
  std::ranges::transform(box.values(), products.begin(),
                         [](std::uint32_t value) { return std::popcount(value); });
  dyadic_autocorrelate(std::span(products), {.threads = options.threads, .stop = options.stop});
  std::int64_t sum = 0;
  std::int64_t least = 0;
  Wide squares;
  for (std::size_t d = 1; d < products.size(); ++d) {
    const std::int64_t difference = 2 * (products[0] - products[d]);
    least = d == 1 ? difference : std::min(least, difference);
    sum += difference;
    squares = squares + Wide(difference) * Wide(difference);
  }
  const auto others = static_cast<std::int64_t>(box.size() - 1);
  const auto size = static_cast<double>(box.size());
  const double pairs = static_cast<double>(others) * size;
  const Wide variance = Wide(others) * squares - Wide(sum) * Wide(sum);
  return {static_cast<double>(sum) / pairs, real_of(variance) / (pairs * pairs),
          static_cast<double>(least) / size};
}

double transparency_of(std::size_t size, int outputs, std::uint32_t beta, std::uint64_t total) {
  const auto n = static_cast<double>(size);
  return std::abs(outputs - 2 * std::popcount(beta)) - static_cast<double>(total) / (n * n - n);
}

double transparency_order(const SBox& box, const SBoxOptions& options) {
  check_transparency(box);
  return largest_of_signs(box, coordinate_autocorrelations(box), transparency_of, options);
}

double revised_transparency_order(const SBox& box, const SBoxOptions& options) {
  check_transparency(box);
  return largest_of_signs(box, coordinate_correlations(box), revised_transparency_of, options);
}

}  // namespace fugu::spectral
