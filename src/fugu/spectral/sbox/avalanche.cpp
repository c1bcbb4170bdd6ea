// From S(x) + S(x + a); the transparency order over the sign vectors beta in Gray code order.
#include "fugu/spectral/sbox/avalanche.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>

#include "fugu/core/butterfly.hpp"
#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {

namespace {

// A subspace of F_2^32 as a basis with different leading bits.
class Subspace {
 public:
  int dimension() const { return dimension_; }

  // The vectors b of `bits` bits with b.v = 0 for all members v: the first `most` of them besides 0,
  // ascending.
  std::vector<std::uint32_t> orthogonal(int bits, std::size_t most) const {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t pivot : orthogonal_basis(bits)) {
      const std::size_t smaller = found.size();
      if (smaller == most) break;
      found.push_back(pivot);
      for (std::size_t i = 0; i < smaller && found.size() < most; ++i) found.push_back(pivot ^ found[i]);
    }
    return found;
  }

  std::uint32_t reduced(std::uint32_t vector) const {
    while (vector != 0 && basis_[leading(vector)] != 0) vector ^= basis_[leading(vector)];
    return vector;
  }
  void add(std::uint32_t vector) {
    vector = reduced(vector);
    if (vector == 0) return;
    basis_[leading(vector)] = vector;
    ++dimension_;
  }

 private:
  // Ascending, and no vector has the leading bit of another: of the unit vectors, those that are removed are
  // added to larger ones only.
  std::vector<std::uint32_t> orthogonal_basis(int bits) const {
    std::vector<std::uint32_t> basis;
    for (int i = 0; i < bits; ++i) basis.push_back(std::uint32_t{1} << i);
    for (const std::uint32_t member : basis_) {
      const auto odd = [&](std::uint32_t b) { return std::popcount(b & member) % 2 != 0; };
      const auto first = std::ranges::find_if(basis, odd);
      if (first == basis.end()) continue;
      const std::uint32_t out = *first;
      basis.erase(first);
      for (std::uint32_t& b : basis) b ^= odd(b) ? out : 0;
    }
    return basis;
  }

  static std::size_t leading(std::uint32_t vector) {
    return static_cast<std::size_t>(31 - std::countl_zero(vector));
  }

  std::array<std::uint32_t, 32> basis_{};
  int dimension_ = 0;
};

// All D + D(0) of the derivative D by a: b.D is constant if b is orthogonal to them; the constant is b.D(0).
Subspace differences_of(const SBox& box, std::uint32_t a) {
  Subspace differences;
  for (std::size_t x = 0; x < box.size() && differences.dimension() < box.outputs(); ++x)
    differences.add(box[x] ^ box[x ^ a] ^ box[0] ^ box[a]);
  return differences;
}

LinearStructures structures_of(const SBox& box, std::uint32_t a) {
  const std::uint32_t start = box[0] ^ box[a];
  const Subspace differences = differences_of(box, a);
  const std::uint64_t constant = std::uint64_t{1} << (box.outputs() - differences.dimension());
  const bool always_zero = differences.reduced(start) == 0;
  return always_zero ? LinearStructures{constant - 1, 0} : LinearStructures{constant / 2 - 1, constant / 2};
}

std::uint64_t nonlinearity_of_pair(const SBox& box, int j, int k) {
  const std::uint32_t mask = std::uint32_t{1} << j | std::uint32_t{1} << k;
  return summarize_spectrum(component(box, mask), {.threads = 1}).nonlinearity;
}

}  // namespace

Avalanche avalanche(const SBox& box, const SBoxOptions& options) {
  const auto outputs = static_cast<std::size_t>(box.outputs());
  Avalanche result;
  result.changes.resize(static_cast<std::size_t>(box.inputs()) * outputs);
  for (std::size_t i = 0; i < static_cast<std::size_t>(box.inputs()); ++i) {
    detail::for_each_pair(box, std::uint32_t{1} << i, [&](std::uint32_t, std::uint32_t change) {
      for (std::size_t j = 0; j < outputs; ++j) result.changes[i * outputs + j] += 2 * (change >> j & 1);
      const auto weight = static_cast<std::uint64_t>(std::popcount(change));
      result.pair_changes_sum += 2 * weight * (outputs - weight);
    });
  }
  const auto [least, most] = std::ranges::minmax(result.changes);
  result.least_change = least;
  result.most_change = most;
  result.changes_sum = std::accumulate(result.changes.begin(), result.changes.end(), std::uint64_t{0});
  std::vector<std::pair<int, int>> pairs;
  for (int k = 1; k < box.outputs(); ++k) {
    for (int j = 0; j < k; ++j) pairs.emplace_back(j, k);
  }
  result.pair_nonlinearities.resize(pairs.size());
  const auto make = [&] {
    return [&](std::size_t i) {
      result.pair_nonlinearities[i] = nonlinearity_of_pair(box, pairs[i].first, pairs[i].second);
    };
  };
  detail::for_each_row(0, pairs.size(), 16 * box.size(), options, make);
  return result;
}

LinearStructures linear_structures(const SBox& box, const SBoxOptions& options) {
  std::atomic<std::uint64_t> positive = 0;
  std::atomic<std::uint64_t> negative = 0;
  const auto make = [&] {
    return [&](std::size_t a) {
      const LinearStructures found = structures_of(box, static_cast<std::uint32_t>(a));
      positive += found.positive;
      negative += found.negative;
    };
  };
  detail::for_each_row(1, box.size(), 2 * static_cast<std::uint64_t>(box.outputs()), options, make);
  return {positive, negative};
}

std::vector<LinearStructure> list_linear_structures(const SBox& box, std::size_t most) {
  std::vector<LinearStructure> list;
  for (std::uint32_t a = 1; a < box.size() && list.size() < most; ++a) {
    for (const std::uint32_t b : differences_of(box, a).orthogonal(box.outputs(), most - list.size()))
      list.push_back({a, b, std::popcount(b & (box[0] ^ box[a])) % 2 != 0});
  }
  return list;
}

namespace {

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
