// The definitions of all values.
#include "cli/sbox/operations.hpp"
#include "cli/spectral/property_text.hpp"

namespace fugu::cli {

namespace {

constexpr std::string_view kConventions =
    R"(conventions 1: S from n to m bits, N = 2^n
bits                  x is an integer, bit i is x_i, x_0 the least significant; y_j is bit j of S(x).
                      --bit-order msb reverses both sides. Masks are renamed, no invariant changes.
component b           b.S(x) = parity(b & S(x)), b != 0.
Walsh                 W(a,b) = sum over x of (-1)^(b.S(x) + a.x); row a input mask, column b output mask.
LAT scale             walsh: W; bias: W/2 (Sage's default); correlation: W/N.
linearity             max |W(a,b)| over all a and b != 0; nonlinearity = N/2 - linearity/2.
DDT                   delta(a,b) = #{x: S(x) + S(x + a) = b}; uniformity: max over a != 0 and all b, including 0.
degree                that of the function 0 is -1, that of 1 is 0.
correlation immunity  largest t with W(a) = 0 for all 1 <= wt(a) <= t; n for constants.
resiliency            that t if balanced, otherwise -1.
autocorrelation       r(a,b) = sum over x of (-1)^(b.(S(x) + S(x + a))); maxima over a != 0 and b != 0.
sum of squares        over all a, including a = 0.
BCT                   beta(a,b) = #{(x,y): S(x) + S(y) = b, S(x + a) + S(y + a) = b}; maxima over a, b != 0.
FBCT                  #{x: S(x) + S(x + a) + S(x + b) + S(x + a + b) = 0}; maxima over a, b != 0, a != b.
branch numbers        min wt(a) + wt(b): differential a != 0, delta > 0; linear a != 0, b != 0, W != 0.
equations             linearly independent equations of degree <= d in the n + m input and output bits.
histograms            value:count, ascending, including zeros.
hex truth table       f(0) is the most significant bit of the first digit; --bit-order sage: the least
                      significant bit of the last digit.
)";

}  // namespace

std::string conventions() {
  return std::string(kConventions) + property_list();
}

}  // namespace fugu::cli
