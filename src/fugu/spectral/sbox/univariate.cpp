// Interpolates an S-box over a finite field.
#include "fugu/spectral/sbox/univariate.hpp"

#include <string>

#include "fugu/error.hpp"
#include "fugu/spectral/sbox/detail/field_product.hpp"

namespace fugu::spectral {
// In a field some element's powers are all nonzero elements; modulo a reducible polynomial none's are.
BinaryField::BinaryField(int bits, std::uint32_t polynomial) {
  if (bits < 1 || bits > kMaxFieldBits) {
    throw Error(Errc::usage, "a field of 2^" + std::to_string(bits) + " elements: 2^1 to 2^" +
                                 std::to_string(kMaxFieldBits) + " are possible");
  }
  const std::uint32_t size = std::uint32_t{1} << bits;
  if (polynomial >> bits != 1) {
    throw Error(Errc::usage, "a polynomial of degree " + std::to_string(bits) + " is needed for " +
                                 std::to_string(bits) + " bits");
  }
  for (std::uint32_t generator = 1; generator < size; ++generator) {
    powers_.assign(1, 1);
    for (std::uint32_t x = generator; x > 1 && powers_.size() < size;
         x = detail::field_product(x, generator, polynomial, bits))
      powers_.push_back(x);
    if (powers_.size() != size - 1) continue;
    logs_.assign(size, 0);
    for (std::uint32_t i = 0; i < powers_.size(); ++i) logs_[powers_[i]] = i;
    return;
  }
  throw Error(Errc::usage, "the polynomial is not irreducible");
}

std::uint32_t BinaryField::product(std::uint32_t a, std::uint32_t b) const {
  if (a == 0 || b == 0) return 0;
  return powers_[(logs_[a] + logs_[b]) % powers_.size()];
}

std::uint32_t BinaryField::power(std::uint32_t a, std::uint64_t exponent) const {
  if (exponent == 0) return 1;
  return a == 0 ? 0
                : powers_[static_cast<std::size_t>(logs_[a] * (exponent % powers_.size()) % powers_.size())];
}

// c_k is the sum over x of S(x) x^(2^n - 1 - k), except that c_0 is S(0): x^(2^n - 1) is 1 for all x but 0.
std::vector<std::uint32_t> univariate(const SBox& box, const BinaryField& field) {
  if (box.inputs() != box.outputs())
    throw Error(Errc::usage, "a polynomial over a field needs as many outputs as inputs");
  const std::size_t last = box.size() - 1;
  std::vector<std::uint32_t> coefficients(box.size());
  coefficients[0] = box[0];
  for (std::size_t k = 1; k <= last; ++k) {
    for (std::uint32_t x = 0; x <= last; ++x)
      coefficients[k] ^= field.product(box[x], field.power(x, last - k));
  }
  return coefficients;
}

}  // namespace fugu::spectral
