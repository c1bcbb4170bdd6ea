// Probabilities of table entries of random permutations and of the tables' maxima, as logarithms; published
// records.
#include "fugu/spectral/lab/anomalies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace fugu::spectral {

namespace {

double log_binomial(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// chance[i]: the probability of an entry of i times the table's step.
using Chances = std::vector<double>;

Chances binomial(double count, double chance, std::size_t most) {
  Chances chances;
  for (std::size_t k = 0; k <= most; ++k) {
    const auto times = static_cast<double>(k);
    chances.push_back(times > count ? 0
                                    : std::exp(log_binomial(count, times) + times * std::log(chance) +
                                               (count - times) * std::log1p(-chance)));
  }
  return chances;
}

// -log2 of the probability that no entry is above `largest` steps and at most `attained` entries equal it.
double anomaly(int bits, const Chances& chances, std::size_t largest, std::uint64_t attained) {
  const double side = std::exp2(bits) - 1;
  const double entries = side * side;
  double smaller = 0;
  for (std::size_t i = 0; i < largest; ++i) smaller += chances[i];
  std::vector<double> terms;
  double most = -std::numeric_limits<double>::infinity();
  for (double k = 0; k <= std::min(entries, static_cast<double>(attained)); ++k) {
    const double rest = entries - k;
    terms.push_back(log_binomial(entries, k) + k * std::log(chances[largest]) +
                    (rest == 0 ? 0 : rest * std::log(smaller)));
    most = std::max(most, terms.back());
  }
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - most);
  return std::max(0.0, -(most + std::log(sum)) / std::log(2.0));
}

bool has_bent(int inputs, int outputs) {
  return inputs % 2 == 0 && outputs <= inputs / 2;
}

bool has_apn_permutation(int bits) {
  return bits % 2 == 1 || bits == 6;
}

}  // namespace

// delta / 2 is a Poisson variable of mean 1/2.
double differential_anomaly(int bits, std::uint32_t uniformity, std::uint64_t attained) {
  Chances chances;
  for (std::uint32_t half = 0; half <= uniformity / 2; ++half)
    chances.push_back(std::exp(-0.5 - half * std::log(2.0) - std::lgamma(half + 1.0)));
  return anomaly(bits, chances, uniformity / 2, attained);
}

// |W| = 4 z if the function of N / 2 ones meets the halves of the inputs N / 4 + z and N / 4 - z times.
double linear_anomaly(int bits, std::uint64_t linearity, std::uint64_t attained) {
  const double half = std::exp2(bits - 1);
  Chances chances;
  for (std::uint64_t z = 0; z <= linearity / 4; ++z) {
    const double both = 2 * log_binomial(half, half / 2 + static_cast<double>(z));
    chances.push_back((z == 0 ? 1 : 2) * std::exp(both - log_binomial(2 * half, half)));
  }
  return anomaly(bits, chances, chances.size() - 1, attained);
}

// An entry is twice one binomial variable plus four times another (the same paper).
double boomerang_anomaly(int bits, std::uint32_t uniformity, std::uint64_t attained) {
  const double size = std::exp2(bits);
  const std::size_t most = uniformity / 2;
  const Chances pairs = binomial(size / 2, 1 / (size - 1), most);
  const Chances fours = binomial(size * size / 4 - size / 2, 1 / ((size - 1) * (size - 1)), most / 2);
  Chances chances(most + 1);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (std::size_t j = 0; j < fours.size() && i + 2 * j <= most; ++j)
      chances[i + 2 * j] += pairs[i] * fours[j];
  }
  return anomaly(bits, chances, most, attained);
}

std::optional<std::uint32_t> best_known_uniformity(int inputs, int outputs, bool permutation) {
  if (permutation) return has_apn_permutation(inputs) ? 2u : 4u;
  if (outputs >= inputs) return 2u;
  if (has_bent(inputs, outputs)) return std::uint32_t{1} << (inputs - outputs);
  return std::nullopt;
}

std::optional<std::uint64_t> best_known_linearity(int inputs, int outputs) {
  if (has_bent(inputs, outputs)) return std::uint64_t{1} << (inputs / 2);
  if (inputs == outputs) return std::uint64_t{1} << (inputs / 2 + 1);
  if (outputs == 1 && inputs <= 7) return std::uint64_t{1} << ((inputs + 1) / 2);
  if (outputs == 1 && inputs == 9) return 28u;
  return std::nullopt;
}

std::optional<std::uint32_t> best_known_boomerang_uniformity(int bits) {
  if (bits < 3) return std::nullopt;
  if (has_apn_permutation(bits)) return 2u;
  return bits % 4 == 2 ? 4u : 6u;
}

}  // namespace fugu::spectral
