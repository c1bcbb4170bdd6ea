// Write f as four functions f_ij of n - 2 variables, by the two highest, u and v. A quadratic form is
//   Q(x) + u L(x) + v K(x) + c u v   and linear terms,
// so that with a Q its restrictions to u, v are Q and four affine functions A, A + K, A + L, A + K + L + c,
// of which A, K and L are free: the distance of the pairs (f_00, f_01) and (f_10, f_11) is least where
//   max over a of |W_00(a)| + |W_01(a + k)|   and   max over a of |W_10(a)| + |W_11(a + k)|
// have the largest sum over k; W_ij is the Walsh spectrum of f_ij + Q. All four constants are free, since c
// is.
#include "fugu/spectral/sbox/second_order.hpp"

#include "fugu/core/butterfly.hpp"
#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace {

constexpr int form_bits(int variables) {
  return variables * (variables - 1) / 2;
}

// -1 where x_i x_j is 1, for each of the products.
std::vector<std::vector<std::int16_t>> products_of(int variables) {
  std::vector<std::vector<std::int16_t>> products;
  for (int j = 1; j < variables; ++j) {
    for (int i = 0; i < j; ++i) {
      std::vector<std::int16_t>& product = products.emplace_back(std::size_t{1} << variables);
      for (std::size_t x = 0; x < product.size(); ++x)
        product[x] = static_cast<std::int16_t>(-static_cast<int>(x >> i & x >> j & 1));
    }
  }
  return products;
}

void transform(std::vector<std::int16_t>& values) {
  for (std::size_t half = 1; half < values.size(); half *= 2) {
    for (std::size_t block = 0; block < values.size(); block += 2 * half) {
      for (std::size_t i = block; i < block + half; ++i) {
        const std::int16_t a = values[i], b = values[i + half];
        values[i] = static_cast<std::int16_t>(a + b);
        values[i + half] = static_cast<std::int16_t>(a - b);
      }
    }
  }
  for (std::int16_t& value : values) value = static_cast<std::int16_t>(value < 0 ? -value : value);
}

// The quadratic forms in Gray code order.
class FormWorker {
 public:
  FormWorker(const TruthTable& function, const std::vector<std::vector<std::int16_t>>& products)
      : products_(products) {
    const std::size_t quarter = function.size() / 4;
    for (std::size_t part = 0; part < 4; ++part) {
      signs_[part].resize(quarter);
      for (std::size_t x = 0; x < quarter; ++x)
        signs_[part][x] = static_cast<std::int16_t>(function[part * quarter + x] ? -1 : 1);
    }
  }

  void operator()(std::uint64_t index) {
    const std::uint64_t form = core::gray_code(index);
    for (std::uint64_t change = form ^ form_; change != 0; change &= change - 1)
      add(products_[static_cast<std::size_t>(std::countr_zero(change))]);
    form_ = form;
    spectra_ = signs_;
    int bound = 0;
    for (auto& spectrum : spectra_) {
      transform(spectrum);
      bound += std::ranges::max(spectrum);
    }
    if (bound > largest_) try_shifts();
  }

  int largest() const { return largest_; }  // sum over x of (-1)^(f + q), q of degree at most 2

 private:
  void add(const std::vector<std::int16_t>& product) {
    for (auto& signs : signs_) {
      for (std::size_t x = 0; x < signs.size(); ++x)
        signs[x] = static_cast<std::int16_t>((signs[x] ^ product[x]) - product[x]);
    }
  }

  void try_shifts() {
    for (std::size_t shift = 0; shift < spectra_[0].size(); ++shift)
      largest_ = std::max(largest_, largest_of(0, shift) + largest_of(2, shift));
  }

  int largest_of(std::size_t pair, std::size_t shift) const {
    int largest = 0;
    for (std::size_t a = 0; a < spectra_[pair].size(); ++a)
      largest = std::max(largest, spectra_[pair][a] + spectra_[pair + 1][a ^ shift]);
    return largest;
  }

  const std::vector<std::vector<std::int16_t>>& products_;
  std::array<std::vector<std::int16_t>, 4> signs_;
  std::array<std::vector<std::int16_t>, 4> spectra_;
  std::uint64_t form_ = 0;
  int largest_ = 0;
};

void check_second_order(int variables) {
  detail::require_at_most(kMaxSecondOrderVariables, variables, "the second-order nonlinearity", "variables");
}

}  // namespace

std::uint64_t second_order_nonlinearity(const TruthTable& function, const SBoxOptions& options) {
  check_second_order(function.variables());
  if (function.variables() <= 2) return 0;
  const int variables = function.variables() - 2;
  const auto products = products_of(variables);
  int largest = 0;
  detail::for_each_row(
      0, std::size_t{1} << form_bits(variables), 8 * function.size(), options,
      [&] { return FormWorker(function, products); },
      [&](const FormWorker& worker) { largest = std::max(largest, worker.largest()); });
  return (function.size() - static_cast<std::uint64_t>(largest)) / 2;
}

std::uint64_t second_order_nonlinearity(const SBox& box, const SBoxOptions& options) {
  check_second_order(box.inputs());
  detail::require_all_components(box);
  std::vector<std::uint64_t> found(std::size_t{box.last_mask()} + 1);
  const auto make = [&] {
    return [&](std::size_t b) {
      found[b] = second_order_nonlinearity(component(box, static_cast<std::uint32_t>(b)), {1, options.stop});
    };
  };
  const std::uint64_t forms = std::uint64_t{1} << form_bits(std::max(box.inputs() - 2, 0));
  detail::for_each_row(1, found.size(), forms * box.size(), options, make);
  return *std::min_element(found.begin() + 1, found.end());
}

double second_order_seconds(int variables) {
  if (variables > kMaxSecondOrderVariables) return 0;
  return std::exp2(form_bits(std::max(variables - 2, 0)) + variables) * 2.5e-9;
}

}  // namespace fugu::spectral
